/** Fetches profiles, and again when their files change. */

import { useEffect, useState } from "preact/hooks";
import type { ProfileEvent, ProfileOverview } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { host, type Session } from "./state";
import { decodeTimeline, type Timeline } from "./timeline";

export interface Loaded<T> {
  value: T | null;
  isLoading: boolean;
  error: string;
}

const NOTHING = { value: null, isLoading: false, error: "" };

function query(session: Session, of: string): Record<string, string> {
  return { run: session.run.id, session: session.name, host: of };
}

/** What a profile says. While a newer one is fetched, the former stays. */
export function useOverview(session: Session | undefined, of: string): Loaded<ProfileOverview> {
  const path = session && withQuery("api/v1/profile/overview", query(session, of));
  return useLoaded(path, session?.version ?? "", () => source.get<ProfileOverview>(path!));
}

/** All events of a profile, or those of them that a page can hold. */
export function useTimeline(session: Session | undefined): Loaded<Timeline> {
  const path = session && withQuery("api/v1/profile/timeline", query(session, host.value));
  return useLoaded(path, session?.version ?? "", () => fetchTimeline(path!));
}

function useLoaded<T>(path: string | undefined, version: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { path?: string }>(NOTHING);
  useEffect(() => {
    if (!path) return setState(NOTHING);
    let isCurrent = true;
    setState((before) => ({
      value: before.path === path ? before.value : null,
      path,
      isLoading: true,
      error: "",
    }));
    load().then(
      (value) => isCurrent && setState({ value, path, isLoading: false, error: "" }),
      (error: Error) =>
        isCurrent && setState((before) => ({ ...before, isLoading: false, error: error.message })),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, version]);
  return state.path === path ? state : { ...NOTHING, isLoading: path !== undefined };
}

async function fetchTimeline(path: string): Promise<Timeline> {
  return decodeTimeline(await source.bytes(path));
}

/** The events of a window, where the whole is too much for a page. */
export function fetchWindow(session: Session, begin: number, end: number): Promise<Timeline> {
  const window = { begin: begin.toFixed(3), end: end.toFixed(3) };
  return fetchTimeline(withQuery("api/v1/profile/timeline", { ...query(session, host.value), ...window }));
}

export function fetchEvent(session: Session, index: number): Promise<ProfileEvent> {
  return source.get(
    withQuery("api/v1/profile/event", { ...query(session, host.value), index: String(index) }),
  );
}
