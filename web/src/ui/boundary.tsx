/** Keeps an error where it happened: what is around a part of the page that cannot be shown goes on. */

import { Component, type ComponentChildren } from "preact";

interface Props {
  /** What stands in for the part; `retry` shows the part again. */
  fallback: (error: Error, retry: () => void) => ComponentChildren;
  children: ComponentChildren;
}

export class Boundary extends Component<Props, { error: Error | null }> {
  state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  render({ fallback, children }: Props, { error }: { error: Error | null }) {
    return error ? fallback(error, () => this.setState({ error: null })) : children;
  }
}
