/** The projector's answers: messages of arrays, and requests that are more than a GET. */

import { request, source } from "../../api/source";

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

export async function getPacked<Head extends Described>(
  path: string,
  signal?: AbortSignal,
): Promise<Packed<Head>> {
  return unpack<Head>(await source.bytes(path, signal));
}

export async function post<T>(path: string, body: object): Promise<T> {
  return (await request(path, { method: "POST", body: JSON.stringify(body) })).json();
}

export async function remove(path: string): Promise<void> {
  await request(path, { method: "DELETE" });
}
