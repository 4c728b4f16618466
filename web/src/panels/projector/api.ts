/** The projector's answers: messages of arrays, and requests that are more than a GET. */

import type { Problem } from "../../api/schema";
import { ApiError } from "../../api/source";

const MAGIC = 0x31414654; // "TFA1", little-endian

export interface Packed<Head> {
  head: Head;
  arrays: Map<string, Float32Array | Uint32Array>;
}

interface Described {
  arrays: { name: string; dtype: "f4" | "u4"; length: number }[];
}

export function unpack<Head extends Described>(buffer: ArrayBuffer): Packed<Head> {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
    throw new Error("The server's answer is not a message of arrays.");
  }
  const length = view.getUint32(4, true);
  const head: Head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  let offset = 8 + length;
  const arrays = new Map<string, Float32Array | Uint32Array>();
  for (const one of head.arrays) {
    const Kind = one.dtype === "f4" ? Float32Array : Uint32Array;
    arrays.set(one.name, new Kind(buffer, offset, one.length));
    offset += Math.ceil((4 * one.length) / 8) * 8;
  }
  return { head, arrays };
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(new URL(path, document.baseURI), options);
  if (answer.ok) return answer;
  const text = await answer.text();
  let words = `${answer.status} ${answer.statusText}`;
  try {
    words = (JSON.parse(text) as Problem).error;
  } catch {
    // Not the board's own words: a proxy's.
  }
  throw new ApiError(answer.status, words);
}

export async function getPacked<Head extends Described>(
  path: string,
  signal?: AbortSignal,
): Promise<Packed<Head>> {
  return unpack<Head>(await (await ask(path, { signal })).arrayBuffer());
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, { signal })).json();
}

export async function post<T>(path: string, body: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return (await ask(path, { method: "POST", body: JSON.stringify(body), headers })).json();
}

export async function remove(path: string): Promise<void> {
  await ask(path, { method: "DELETE" });
}
