import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";
import { defineConfig } from "vitest/config";

const STATIC = fileURLToPath(new URL("../src/tapeflow/board/static", import.meta.url));

/** Also makes export.html: the whole page in one file, with a place for the data of `tapeflow board export`. */
function exportPage(): Plugin {
  return {
    name: "export-page",
    apply: "build",
    async closeBundle() {
      const result = await build({
        configFile: false,
        logLevel: "warn",
        build: {
          write: false,
          target: "es2022",
          cssCodeSplit: false,
          lib: {
            entry: fileURLToPath(new URL("src/export.ts", import.meta.url)),
            formats: ["iife"],
            name: "board",
          },
        },
      });
      const files = [result].flat().flatMap((one) => ("output" in one ? one.output : []));
      const script = files.find((file) => file.type === "chunk")?.code ?? "";
      const style = files.find((file) => file.type === "asset" && file.fileName.endsWith(".css"));
      const css = style?.type === "asset" ? String(style.source) : "";
      await writeFile(`${STATIC}/export.html`, page(script, css));
    },
  };
}

/** In a script element, `</script` and `<!--` would end it or change how it is read. */
function inScript(code: string): string {
  return code.replaceAll(/<(?=\/script|!--)/gi, "\\x3C");
}

/** As strict as one file can be: nothing runs but this script, and nothing is asked of any server. */
function policy(script: string, css: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(css)}`,
    "img-src data: blob:",
    "media-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function page(code: string, css: string): string {
  const script = inScript(code);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(script, css)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>TapeFlow</title>
<style>${css}</style>
<!--tapeflow-data-->
</head>
<body>
<div id="app"></div>
<script>${script}</script>
</body>
</html>
`;
}

export default defineConfig({
  // Relative addresses: the page works under any --path-prefix without being rewritten.
  base: "./",
  plugins: [exportPage()],
  build: {
    outDir: STATIC,
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file of the server's own: its content security policy allows no inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"] },
});
