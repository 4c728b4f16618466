/** The pane beside the graph: what the search found, what is selected, or the graph as a whole. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { GraphNode as NodeAnswer } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { formatCount } from "../../chart/format";
import { IconButton } from "../../ui/controls";
import { formatBytes, formatMicros } from "./colors";
import type { GraphNode, Model, Neighbour } from "./model";
import type { Found } from "./search";
import { describeShape } from "./stage";
import { query } from "./state";
import { t } from "./words";

const MOST_LISTED = 100;

/** Where the graph stands, to ask for one of its nodes. */
export interface Place {
  run: string;
  tag: string;
  index: string;
}

interface Props {
  model: Model;
  place: Place;
  node: GraphNode | null;
  found: Found | null;
  isOpen: (node: GraphNode) => boolean;
  onSelect: (node: GraphNode | null) => void;
  onToggle: (node: GraphNode) => void;
}

export function Details({ model, place, node, found, isOpen, onSelect, onToggle }: Props) {
  return (
    <div class="graph-details">
      {found && <Results found={found} selected={node} onSelect={onSelect} />}
      {node ? (
        <One key={node.id} {...{ model, place, node, onSelect, onToggle }} isOpen={isOpen(node)} />
      ) : (
        !found && <Summary model={model} onSelect={onSelect} />
      )}
    </div>
  );
}

function Results({
  found,
  selected,
  onSelect,
}: {
  found: Found;
  selected: GraphNode | null;
  onSelect: Props["onSelect"];
}) {
  return (
    <section class="graph-results" aria-label={t("results")} tabIndex={0}>
      <h3 aria-live="polite">
        {found.total > 0 ? t("found", { n: formatCount(found.total) }) : t("foundNone")}
      </h3>
      <Nodes nodes={found.nodes} total={found.total} selected={selected} onSelect={onSelect} isPath />
    </section>
  );
}

interface NodesProps {
  nodes: readonly GraphNode[];
  total: number;
  selected?: GraphNode | null;
  isPath?: boolean;
  onSelect: Props["onSelect"];
}

function Nodes({ nodes, total, selected, isPath, onSelect }: NodesProps) {
  return (
    <ul class="graph-list">
      {nodes.slice(0, MOST_LISTED).map((node) => (
        <li key={node.id}>
          <NodeButton node={node} onSelect={onSelect} isCurrent={node === selected}>
            <span class="graph-name">{isPath ? nameOf(node) : node.label}</span>
            <span class="graph-note">
              {node.op || (node.kind === "op" ? "" : `${formatCount(node.count)}`)}
            </span>
          </NodeButton>
        </li>
      ))}
      {total > Math.min(nodes.length, MOST_LISTED) && (
        <li class="graph-note">
          {t("more", { n: formatCount(total - Math.min(nodes.length, MOST_LISTED)) })}
        </li>
      )}
    </ul>
  );
}

interface NodeButtonProps {
  node: GraphNode;
  isCurrent?: boolean;
  onSelect: Props["onSelect"];
  children: ComponentChildren;
}

function NodeButton({ node, isCurrent, onSelect, children }: NodeButtonProps) {
  return (
    <button
      type="button"
      class="graph-link"
      aria-current={isCurrent || undefined}
      data-tip={t("goTo", { name: node.id })}
      onClick={() => onSelect(node)}
    >
      {children}
    </button>
  );
}

function Summary({ model, onSelect }: { model: Model; onSelect: Props["onSelect"] }) {
  const { blob, root } = model;
  const counts = new Map<string, number>();
  for (const op of blob.ops) counts.set(blob.texts[op], (counts.get(blob.texts[op]) ?? 0) + 1);
  const ops = [...counts].sort((a, b) => b[1] - a[1]);
  return (
    <>
      <h2>{t("summary")}</h2>
      <dl class="graph-facts">
        <Fact name={t("nodes")}>{formatCount(blob.total)}</Fact>
        <Fact name={t("edges")}>{formatCount(blob.sources.length)}</Fact>
        {blob.lost > 0 && <Fact name={t("lost")}>{formatCount(blob.lost)}</Fact>}
        {root.parameters > 0 && <Fact name={t("parameters")}>{formatCount(root.parameters)}</Fact>}
        {root.micros >= 0 && <Fact name={t("time")}>{formatMicros(root.micros)}</Fact>}
        {root.bytes >= 0 && <Fact name={t("memory")}>{formatBytes(root.bytes)}</Fact>}
      </dl>
      <h3>{t("ops")}</h3>
      <ul class="graph-list">
        {ops.slice(0, 12).map(([op, count]) => (
          <li key={op}>
            <button
              type="button"
              class="graph-link"
              data-tip={t("findOps")}
              onClick={() => {
                query.value = `^${op.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
              }}
            >
              <span class="graph-name">{op}</span>
              <span class="graph-note">{formatCount(count)}</span>
            </button>
          </li>
        ))}
        {ops.length > 12 && <li class="graph-note">{t("more", { n: ops.length - 12 })}</li>}
      </ul>
      <h3>{t("contains")}</h3>
      <Nodes nodes={model.level(root).nodes} total={root.children.length} onSelect={onSelect} />
    </>
  );
}

function nameOf(node: GraphNode): string {
  if (node.kind !== "series") return node.id;
  const above = node.parent?.id ? `${node.parent.id}/` : "";
  return `${above}${node.label} ×${node.children.length}`;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type OneProps = Omit<Props, "node" | "found" | "isOpen"> & { node: GraphNode; isOpen: boolean };

function One({ model, place, node, isOpen, onSelect, onToggle }: OneProps) {
  const { blob } = model;
  const isOp = node.leaf >= 0;
  const text = (column: readonly number[]) => (isOp ? blob.texts[column[node.leaf]] : "");
  const outputs = text(blob.outputs);
  const kind = node.kind === "scope" ? t("kindScope") : node.kind === "series" ? t("kindSeries") : t("op");
  return (
    <>
      <header class="graph-head">
        <h2>{node.label}</h2>
        {!isOp && (
          <button
            type="button"
            class="text-button is-accent"
            data-tip={isOpen ? t("closeTip") : t("openTip")}
            onClick={() => onToggle(node)}
          >
            {isOpen ? t("close") : t("open")}
          </button>
        )}
        <IconButton icon="close" tip={t("back")} onClick={() => onSelect(null)} />
      </header>
      <p class="graph-path">{isOp ? blob.names[node.leaf] : nameOf(node)}</p>
      <dl class="graph-facts">
        <Fact name={isOp ? t("op") : t("kind")}>{isOp ? node.op : kind}</Fact>
        {outputs && <Fact name={t("shape")}>{describeShape(outputs)}</Fact>}
        {text(blob.dtypes) && <Fact name={t("dtype")}>{text(blob.dtypes)}</Fact>}
        {text(blob.devices) && <Fact name={t("device")}>{text(blob.devices)}</Fact>}
        {!isOp && <Fact name={t("inside")}>{formatCount(node.count)}</Fact>}
        {node.parameters > 0 && <Fact name={t("parameters")}>{formatCount(node.parameters)}</Fact>}
        {node.micros >= 0 && <Fact name={t("time")}>{formatMicros(node.micros)}</Fact>}
        {node.bytes >= 0 && <Fact name={t("memory")}>{formatBytes(node.bytes)}</Fact>}
      </dl>
      <Neighbours title={t("inputs")} found={model.neighbours(node, "inputs")} onSelect={onSelect} />
      <Neighbours title={t("outputs")} found={model.neighbours(node, "outputs")} onSelect={onSelect} />
      {isOp ? (
        <Attributes place={place} leaf={node.leaf} />
      ) : (
        <>
          <h3>{t("contains")}</h3>
          <Nodes nodes={model.level(node).nodes} total={node.children.length} onSelect={onSelect} />
        </>
      )}
    </>
  );
}

function Neighbours({
  title,
  found,
  onSelect,
}: {
  title: string;
  found: readonly Neighbour[];
  onSelect: Props["onSelect"];
}) {
  if (found.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="graph-note">{formatCount(found.length)}</span>
      </h3>
      <ul class="graph-list">
        {found.slice(0, MOST_LISTED).map(({ node, count, shape, isControl }, i) => (
          <li key={i}>
            <NodeButton node={node} onSelect={onSelect}>
              <span class="graph-name">{nameOf(node)}</span>
              <span class="graph-note">
                {isControl ? t("control") : count > 1 ? t("tensors", { n: count }) : describeShape(shape)}
              </span>
            </NodeButton>
          </li>
        ))}
        {found.length > MOST_LISTED && (
          <li class="graph-note">{t("more", { n: formatCount(found.length - MOST_LISTED) })}</li>
        )}
      </ul>
    </section>
  );
}

function Attributes({ place, leaf }: { place: Place; leaf: number }) {
  const [answer, setAnswer] = useState<NodeAnswer | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (!source.isLive) return;
    let isCurrent = true;
    source.get<NodeAnswer>(withQuery("api/v1/graphs/node", { ...place, node: String(leaf) })).then(
      (found) => isCurrent && setAnswer(found),
      (problem: Error) => isCurrent && setError(problem.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [place.run, place.tag, place.index, leaf]);
  return (
    <section aria-label={t("attributes")}>
      <h3>{t("attributes")}</h3>
      {!source.isLive && <p class="graph-note">{t("attributesSaved")}</p>}
      {error && <p class="graph-note">{error}</p>}
      {answer?.attributes.length === 0 && <p class="graph-note">{t("noAttributes")}</p>}
      <dl class="graph-attributes">
        {answer?.attributes.map(({ name, text, nbytes }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {text}
              {nbytes > 2000 && <span class="graph-note"> {t("large", { n: formatCount(nbytes) })}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
