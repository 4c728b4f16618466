/** One cursor for all charts: where the pointer is in one, a line stands in the others. */

interface Follower {
  showCursor(x: number | null): void;
}

class LinkedCursor {
  private readonly followers = new Set<Follower>();
  private frame = 0;

  join(follower: Follower): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  move(x: number | null, leader: Follower | null): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      for (const follower of this.followers) if (follower !== leader || x === null) follower.showCursor(x);
    });
  }
}

export const linkedCursor = new LinkedCursor();
