/** What a run says of itself: facts, texts, diffs, what it printed. */

import type { ComponentChildren } from "preact";
import type { RunSection } from "../../api/schema";
import { messages } from "../../i18n/messages";
import { Markdown } from "../text/markdown";
import { t } from "./words";

/** Names of sections that the server gives; others are shown as they are. */
const NAMES = messages({
  command: ["Command", "命令"],
  environment: ["Environment", "环境"],
  packages: ["Packages", "软件包"],
  config: ["Configuration", "配置"],
  git: ["Code", "代码"],
  diff: ["Uncommitted changes", "未提交的改动"],
  console: ["Console output", "控制台输出"],
  crash: ["Crash", "崩溃"],
  system: ["System", "系统"],
  health: ["Health", "健康状况"],
});

const KNOWN = [
  "command",
  "environment",
  "packages",
  "config",
  "git",
  "diff",
  "console",
  "crash",
  "system",
  "health",
];

export function sectionTitle(name: string): string {
  return KNOWN.includes(name) ? NAMES(name as Parameters<typeof NAMES>[0]) : name;
}

export function Card({
  title,
  children,
  isWide,
}: {
  title: string;
  children: ComponentChildren;
  isWide?: boolean;
}) {
  return (
    <section class={`rp-card ${isWide ? "is-wide" : ""}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Facts({ facts }: { facts: Record<string, string> }) {
  return (
    <dl class="rp-facts">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Section({ section }: { section: RunSection }) {
  const title = sectionTitle(section.name);
  return (
    <Card title={title} isWide={section.kind !== "facts"}>
      {Object.keys(section.facts).length > 0 && <Facts facts={section.facts} />}
      {section.text !== "" && <SectionText section={section} title={title} />}
      {section.is_cut && <p class="rp-hint">{t("isCut")}</p>}
    </Card>
  );
}

function SectionText({ section, title }: { section: RunSection; title: string }) {
  if (section.kind === "markdown") return <Markdown text={section.text} />;
  if (section.kind === "diff") return <DiffText lines={section.text.split("\n")} title={title} />;
  return (
    <pre
      class={`rp-text ${section.kind === "console" ? "is-console" : ""}`}
      tabIndex={0}
      role="region"
      aria-label={title}
    >
      {section.text}
    </pre>
  );
}

/** Lines that begin with + and - in the colours everybody knows, and the signs for those who see no colours. */
export function DiffText({ lines, title }: { lines: readonly string[]; title: string }) {
  const kind = (line: string) => {
    if (/^(diff |index |--- |\+\+\+ |@@ )/.test(line)) return "is-head";
    return line.startsWith("+") ? "is-added" : line.startsWith("-") ? "is-removed" : "";
  };
  return (
    <pre class="rp-text is-diff" tabIndex={0} role="region" aria-label={title}>
      {lines.map((line, i) => (
        <span key={i} class={kind(line)}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
