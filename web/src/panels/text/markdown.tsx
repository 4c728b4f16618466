/**
 * Markdown, safely: `marked` cuts the text into tokens, and each token becomes an element here. No HTML of the
 * text is ever parsed: a tag in it is shown as the characters it is made of. Nothing is fetched for a text from
 * elsewhere.
 */

import { marked, type Token, type Tokens } from "marked";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { Boundary } from "../../ui/boundary";

/**
 * What stands in a text for a view of the board, such as `#scalars?card=loss`; null for an address that is none. Only
 * texts that users write on the board have such views, not those that programs log.
 */
export const Embeds = createContext<((address: string, caption: string) => ComponentChildren) | null>(null);

const SAFE_LINK = /^(https?:|mailto:)/i;

/** A view of this board. */
const OWN_LINK = /^#\w/;

/** A line that begins with so many marks of lists and quotes: lists in lists take the lexer seconds to minutes. */
const TOO_DEEP = /^[ \t>*+\-\d.)]{200}/m;

/** Text as Markdown; as it is where that nests too deeply to be read or drawn. */
export function Markdown({ text }: { text: string }) {
  const plain = <pre class="plain">{text}</pre>;
  if (TOO_DEEP.test(text)) return plain;
  return (
    <Boundary key={text} fallback={() => plain}>
      <Rendered text={text} />
    </Boundary>
  );
}

function Rendered({ text }: { text: string }) {
  return <div class="markdown">{blocks(marked.lexer(text))}</div>;
}

function blocks(tokens: readonly Token[]): ComponentChildren[] {
  return tokens.map(block);
}

function block(token: Token): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      // The page has headings of its own: those of a text stand below them.
      const Level = `h${Math.min(6, token.depth + 3)}` as "h4" | "h5" | "h6";
      return <Level data-depth={token.depth}>{inlines(token.tokens)}</Level>;
    }
    case "paragraph":
      return <Paragraph token={token as Tokens.Paragraph} />;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return list(token as Tokens.List);
    case "table":
      return table(token as Tokens.Table);
    case "text":
      return token.tokens ? inlines(token.tokens) : token.text;
    default:
      return <p>{token.raw}</p>;
  }
}

/** A paragraph, or the view that is all it consists of. */
function Paragraph({ token }: { token: Tokens.Paragraph }) {
  const embed = useContext(Embeds);
  const [address, caption] = embed ? onlyAddress(token) : ["", ""];
  return (embed && address && embed(address, caption)) || <p>{inlines(token.tokens)}</p>;
}

/** The address of a paragraph that is nothing but a link, a picture or an address, and what it is called. */
function onlyAddress(token: Tokens.Paragraph): [address: string, caption: string] {
  const text = token.raw.trim();
  if (/^#\S+$/.test(text)) return [text, ""];
  const tokens = token.tokens.filter(({ raw }) => raw.trim() !== "");
  const [only] = tokens;
  if (tokens.length !== 1 || (only.type !== "link" && only.type !== "image")) return ["", ""];
  return [only.href, only.text === only.href ? "" : unescaped(only.text)];
}

function list(token: Tokens.List): ComponentChildren {
  const items = token.items.map((item, i) => (
    <li key={i} class={item.task ? "is-task" : undefined}>
      {item.task && <input type="checkbox" disabled checked={item.checked} aria-label={item.text} />}
      {blocks(item.tokens.filter((inner) => (inner.type as string) !== "checkbox"))}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table): ComponentChildren {
  const cells = (row: Tokens.TableCell[], Cell: "th" | "td") =>
    row.map((cell, i) => (
      <Cell key={i} class={token.align[i] ? `is-${token.align[i]}` : undefined}>
        {inlines(cell.tokens)}
      </Cell>
    ));
  return (
    <table>
      <thead>
        <tr>{cells(token.header, "th")}</tr>
      </thead>
      <tbody>
        {token.rows.map((row, i) => (
          <tr key={i}>{cells(row, "td")}</tr>
        ))}
      </tbody>
    </table>
  );
}

function inlines(tokens: readonly Token[] | undefined): ComponentChildren[] {
  return (tokens ?? []).map(inline);
}

function inline(token: Token): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inlines(token.tokens)}</strong>;
    case "em":
      return <em>{inlines(token.tokens)}</em>;
    case "del":
      return <del>{inlines(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link token={token as Tokens.Link} />;
    case "image":
      // Fetching it would tell another server who reads this.
      return (
        <span class="markdown-image">{(token as Tokens.Image).text || (token as Tokens.Image).href}</span>
      );
    case "text":
      return token.tokens ? inlines(token.tokens) : unescaped(token.text);
    case "escape":
      return token.text;
    default:
      return token.raw;
  }
}

function Link({ token }: { token: Tokens.Link }) {
  const isOwn = useContext(Embeds) !== null && OWN_LINK.test(token.href);
  if (isOwn) return <a href={token.href}>{inlines(token.tokens)}</a>;
  if (!SAFE_LINK.test(token.href)) return <span>{inlines(token.tokens)}</span>;
  return (
    <a href={token.href} target="_blank" rel="noopener noreferrer">
      {inlines(token.tokens)}
    </a>
  );
}

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
};

/** `&lt;` in a text means `<`, as characters. */
function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]);
}
