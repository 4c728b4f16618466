import type { ComponentChildren } from "preact";

/** A call such as map(decode, ...) or Profile("logs"), or a setting such as workers=4. */
const CODE = /([\w.]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\b\w+=[\w.]+)/g;

/** A sentence with the code in it set as code. */
export function withCode(sentence: string): ComponentChildren {
  return sentence.split(CODE).map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}
