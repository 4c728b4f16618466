import { marked } from "marked";
import { render } from "preact";
import { describe, expect, it, vi } from "vitest";
import { Markdown } from "./markdown";

function html(text: string): HTMLElement {
  const host = document.createElement("div");
  render(<Markdown text={text} />, host);
  return host;
}

describe("Markdown", () => {
  it("renders what Markdown has", () => {
    const host = html(
      "# One\n\n*a* **b** `c` ~~d~~\n\n1. x\n2. y\n\n| h |\n|--:|\n| 1 |\n\n> q\n\n```py\ncode\n```\n",
    );
    for (const tag of [
      "h4",
      "em",
      "strong",
      "code",
      "del",
      "ol",
      "li",
      "table",
      "th",
      "td",
      "blockquote",
      "pre",
    ]) {
      expect(host.querySelector(tag), tag).not.toBeNull();
    }
    expect(host.querySelector("td")?.className).toBe("is-right");
  });

  it.each([
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](https://example.org/track.png)",
    "- <b onclick=alert(1)>x</b>",
  ])("shows %s as text", (text) => {
    const host = html(text);
    expect(host.querySelector("script, img, svg, iframe, b, [onerror], [onclick], [onload]")).toBeNull();
    for (const link of host.querySelectorAll("a"))
      expect(link.getAttribute("href")).toMatch(/^(https?|mailto):/);
  });

  it.each([
    ["quotes", ">".repeat(5000)],
    ["quotes in lines", Array.from({ length: 150 }, (_, i) => `${"> ".repeat(i)}a`).join("\n")],
    ["lists", "- ".repeat(3000)],
    ["lists in lines", Array.from({ length: 1000 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
  ])("shows %s that nest too deeply as plain text", (_, text) => {
    const host = html(text);
    expect(host.querySelector("blockquote, li, em")).toBeNull();
    expect(host.querySelector("pre")?.textContent).toBe(text);
  });

  it("shows what the lexer gives up on as plain text", async () => {
    vi.spyOn(marked, "lexer").mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    const host = html("*a*");
    await expect.poll(() => host.querySelector("pre")?.textContent).toBe("*a*");
    expect(html("*a*").querySelector("em")?.textContent).toBe("a");
  });

  it("opens links elsewhere without telling where from", () => {
    const link = html("[x](https://example.org)").querySelector("a");
    expect([link?.getAttribute("href"), link?.target, link?.rel]).toEqual([
      "https://example.org",
      "_blank",
      "noopener noreferrer",
    ]);
  });
});
