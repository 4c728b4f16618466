/** Where the page gets its data: a board's server, or what `tapeflow board export` put into the page. */

import { refusalText, unreachable } from "../i18n/refusals";
import { type Columns, decodeColumns } from "./columns";
import { ExportSource } from "./export";
import type { LiveRequest, Problem, SeriesRequest, Settings } from "./schema";

export interface Source {
  readonly isLive: boolean;
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** An answer that is no JSON. */
  bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  series(request: SeriesRequest, signal?: AbortSignal): Promise<Columns[]>;
  /** What an <img>, <audio> or <video> may load for a sample's `url`. */
  blobUrl(url: string): string;
  patchSettings(patch: object): Promise<Settings>;
  follow(client: string, request: LiveRequest): Promise<void>;
  liveUrl(): string;
}

/** A refusal of the server, in the words of the page's language. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** In letters, each of which may take three bytes. */
const MOST_KEPT_ALIVE = 21_000;

class ServerSource implements Source {
  readonly isLive = true;

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await request(path, { signal })).json();
  }

  async bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await request(path, { signal })).arrayBuffer();
  }

  async series(body: SeriesRequest, signal?: AbortSignal): Promise<Columns[]> {
    const answer = await request("api/v1/scalars/series", {
      method: "POST",
      body: JSON.stringify(body),
      signal,
    });
    return decodeColumns(await answer.arrayBuffer());
  }

  blobUrl(url: string): string {
    return new URL(url, document.baseURI).href;
  }

  async patchSettings(patch: object): Promise<Settings> {
    const body = JSON.stringify(patch);
    // Kept alive: a note written just before the page is closed is not lost. Browsers do so with 64 KiB at most.
    const keepalive = body.length < MOST_KEPT_ALIVE;
    return (await request("api/v1/settings", { method: "PATCH", body, keepalive })).json();
  }

  async follow(client: string, body: LiveRequest): Promise<void> {
    await request(`api/v1/live/${encodeURIComponent(client)}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
  }

  liveUrl(): string {
    return new URL("api/v1/live", document.baseURI).href;
  }
}

/** Asks the server, or throws its refusal. */
export async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = options.body ? { "Content-Type": "application/json" } : undefined;
  const answer = await fetch(new URL(path, document.baseURI), { ...options, headers }).catch((error) => {
    throw error instanceof TypeError ? unreachable() : error;
  });
  if (!answer.ok) throw new ApiError(answer.status, await refusal(answer));
  return answer;
}

async function refusal(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return refusalText(answer.status, JSON.parse(text) as Problem);
  } catch {
    return `${answer.status} ${answer.statusText}`;
  }
}

const embedded = document.getElementById("tapeflow-export");

export const source: Source = embedded
  ? new ExportSource(JSON.parse(embedded.textContent ?? "{}"))
  : new ServerSource();

/** `path?run=...&tag=...`, encoded as exported pages spell it. */
export function withQuery(path: string, query: Record<string, string>): string {
  const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return `${path}?${pairs.join("&")}`;
}
