// Generated from tapeflow.board.schema by `python -m tapeflow.board.typescript`. Do not edit.
// What each thing means: docs/board-api.md.

export type RunState = "waiting" | "loading" | "ready" | "broken";

export type RunStatus = "" | "running" | "finished" | "crashed" | "stalled";

export type AlertLevel = "info" | "warning" | "error";

export type Axis = "step" | "relative" | "wall";

export type Setting = string | number | boolean;

/** A folder or file being shown; `name` is "" unless the user gave one. */
export interface Logdir {
  name: string;
  path: string;
  exists: boolean;
}

/** A kind of content; `tags` and `runs` are 0 while nothing of the kind has been read. */
export interface Panel {
  name: string;
  title: string;
  tags: number;
  runs: number;
}

/** Something the board says: `text` in English, `code` and `values` for those who say it in another language.
 *
 * `run` is the name of the run it is about, where `text` begins with that and `code` does not tell it. */
export interface Note {
  code: string;
  text: string;
  values: Record<string, string | number>;
  run?: string;
}

/** How far reading has come; `message` says it in words, with what is damaged, and `notes` one by one. */
export interface Progress {
  is_done: boolean;
  runs_total: number;
  runs_read: number;
  bytes_total: number;
  bytes_read: number;
  message: string;
  notes: Note[];
}

/** The server: the first thing a page asks for. */
export interface Info {
  api: number;
  version: string;
  title: string;
  logdirs: Logdir[];
  panels: Panel[];
  read_only: boolean;
  reload_interval_s: number;
  progress: Progress;
}

/** A stretch of a file that could not be read; `file` is relative to the run's folder. */
export interface Damage {
  file: string;
  offset: number;
  nbytes: number;
  reason: string;
}

/** Something wrong with a run.
 *
 * `code` is that of the rule, or "user" for what `tf.summary.alert` logged. `note` says it; `detail` has a traceback,
 * or the user's text. `count` says how often the user raised it. */
export interface Alert {
  code: string;
  level: "info" | "warning" | "error";
  tag: string;
  step: number | null;
  wall_time: number | null;
  count: number;
  note: Note;
  detail: string;
}

/** A run: a folder with event files.
 *
 * `path` holds the parts of its place in the tree. `message` is "" unless there is something to say; `notes` has
 * the same one by one. `damages` holds the first few; `bad_bytes` counts all. `profiles` gives its profiles by
 * name, each with a text that changes with its files. `status` is how the run says it is doing, "" if it captures
 * nothing that would tell; `alerts` has the worst first. */
export interface Run {
  id: string;
  name: string;
  path: string[];
  logdir: number;
  state: "waiting" | "loading" | "ready" | "broken";
  live: boolean;
  start_time: number | null;
  last_time: number | null;
  points: number;
  bytes_total: number;
  bytes_read: number;
  bad_bytes: number;
  damages: Damage[];
  message: string;
  notes: Note[];
  hparams: Record<string, string | number | boolean>;
  profiles: Record<string, string>;
  status: "" | "running" | "finished" | "crashed" | "stalled";
  alerts: Alert[];
}

/** What most runs have nothing of. */
export interface UsualRun {
  live: boolean;
  bad_bytes: number;
  damages: Damage[];
  message: string;
  notes: Note[];
  hparams: Record<string, string | number | boolean>;
  profiles: Record<string, string>;
  status: "" | "running" | "finished" | "crashed" | "stalled";
  alerts: Alert[];
}

/** What there is to say of one run beside what the columns of an overview have. */
export interface UnusualRun {
  live?: boolean;
  bad_bytes?: number;
  damages?: Damage[];
  message?: string;
  notes?: Note[];
  hparams?: Record<string, string | number | boolean>;
  profiles?: Record<string, string>;
  status?: "" | "running" | "finished" | "crashed" | "stalled";
  alerts?: Alert[];
}

/** A tag of one panel. */
export interface OverviewTag {
  tag: string;
  display_name: string;
  description: string;
}

/** The head of the message in columns that has all runs and tags.
 *
 * The columns are, for each run: log folder, place of its state in `states`, start time, last time, points, bytes in
 * all, bytes read; and then for each tag of each of `panels` in turn how many values the run has of it. `unusual` has
 * by place what is not said of most runs. */
export interface Overview {
  version: number;
  ids: string[];
  names: string[];
  states: ("waiting" | "loading" | "ready" | "broken")[];
  unusual: Record<string, UnusualRun>;
  panels: Record<string, OverviewTag[]>;
  columns: ((string | number | null)[])[];
}

/** All runs, in the order of their names. */
export interface RunsAnswer {
  runs: Run[];
  progress: Progress;
}

/** A tag of one panel; `counts` and `last_steps` are by run id. */
export interface TagEntry {
  tag: string;
  display_name: string;
  description: string;
  counts: Record<string, number>;
  last_steps: Record<string, number>;
}

/** The tags of every panel, or of those asked for. */
export interface TagsAnswer {
  panels: Record<string, TagEntry[]>;
}

/** One tag of one run. */
export interface SeriesKey {
  run: string;
  tag: string;
}

/** Many series, all over one window of one axis, each cut to about two points a pixel.
 *
 * Without `min` or `max` the window is open on that side. `pixels` 0 means every point. With `smoothing`, a
 * number between 0 and 1, a smoothed column comes along, made of every point there is. */
export interface SeriesRequest {
  series: SeriesKey[];
  axis?: "step" | "relative" | "wall";
  min?: number | null;
  max?: number | null;
  pixels?: number;
  smoothing?: number;
  format?: "columns" | "json";
}

/** One series of an answer in columns.
 *
 * `length` points are given of the `window_total` in the window and the `total` there are. `missing` is true
 * if there is no such run or tag (yet). `is_raw` says that no point of the window was left out. In a live
 * message `is_reset` says that what was read before no longer holds. */
export interface SeriesHead {
  run: string;
  tag: string;
  length: number;
  window_total: number;
  total: number;
  is_raw: boolean;
  missing: boolean;
  cursor: string;
  start_time: number | null;
  is_reset: boolean;
  has_smoothed: boolean;
}

/** The JSON at the head of a message in columns. */
export interface ColumnsHead {
  series: SeriesHead[];
}

/** One picture, sound, text, ... of a step; `url` is relative to the board's root. */
export interface MediaSample {
  url: string;
  mime: string;
}

/** What was logged at one step; width and height are 0 where they are not known. */
export interface MediaItem {
  step: number;
  wall_time: number;
  width: number;
  height: number;
  samples: MediaSample[];
}

/** Steps of one tag of one run, in order of steps. */
export interface MediaAnswer {
  run: string;
  tag: string;
  total: number;
  cursor: string;
  items: MediaItem[];
}

/** What the URL of a text gives: strings in the order of an array of this shape. */
export interface TextBlob {
  shape: number[];
  texts: string[];
  is_cut: boolean;
}

/** What the URL of a table gives. */
export interface TableBlob {
  columns: string[];
  rows: string[][];
  row_total: number;
}

/** How a run is shown: `hidden` is archived, `pinned` the baseline, `on_top` above others in the table. */
export interface RunSettings {
  label?: string;
  note?: string;
  color?: string;
  tags?: string[];
  hidden?: boolean;
  pinned?: boolean;
  starred?: boolean;
  on_top?: boolean;
}

/** The board's sidecar: by run id, and `page`, which belongs to the page. */
export interface Settings {
  runs: Record<string, RunSettings>;
  page: Record<string, unknown>;
}

/** The first message of the live stream; `client` names it in `POST /api/v1/live/{client}`. */
export interface LiveHello {
  client: string;
}

/** The series a client follows, each from a cursor on ("" from the beginning); replaces the former list. */
export interface LiveRequest {
  series: LiveSeries[];
}

/** A series and how much of it the client has. */
export interface LiveSeries {
  run: string;
  tag: string;
  cursor: string;
}

/** Runs that are new or have changed, and ids of those that are gone. */
export interface LiveRuns {
  runs: Run[];
  removed: string[];
  progress: Progress;
}

/** Tags that are new or have grown, by panel; if `is_all`, there were too many: ask for them again.
 *
 * `counts` and `last_steps` hold the runs that changed only. `removed` names runs that have begun again: their
 * former counts no longer hold. */
export interface LiveTags {
  is_all: boolean;
  removed: string[];
  panels: Record<string, TagEntry[]>;
}

/** New points of followed series: a message in columns, in base64. */
export interface LivePoints {
  columns: string;
}

/** The body of every answer with a status of 400 and more.
 *
 * `note` is the same, for those who say it in another language, where it is about what a user of the page can meet. */
export interface Problem {
  error: string;
  note: Note | null;
}

/** What a page saved by `tapeflow board export` carries instead of a server.
 *
 * `answers` holds the bodies of GET requests, by URL relative to the board's root, as they are (JSON);
 * `blobs` the others, as data URLs; `series` one message in columns, in base64, with all scalar series. */
export interface ExportData {
  answers: Record<string, unknown>;
  blobs: Record<string, string>;
  series: string;
}

/** The alerts of one run, the worst first. */
export interface RunAlerts {
  run: string;
  name: string;
  status: string;
  alerts: Alert[];
}

/** The runs that have alerts. */
export interface AlertsAnswer {
  runs: RunAlerts[];
}

/** What the URL of a confusion matrix gives: `names` of classes, and counts, a row for each true class.
 *
 * Only counts that are not 0 are given, row by row: `gaps` says how many cells on from the one before each stands,
 * the first from the first cell. `notes`, and `problem` in one text, say why there is none. */
export interface ConfusionBlob {
  names: string[];
  gaps: number[];
  counts: number[];
  problem: string;
  notes: Note[];
}

/** The scalar tags that a regular expression of a layout matches.
 *
 * `problem`, and `notes` one by one, say why it could not be tried. */
export interface CustomLines {
  expression: string;
  tags: string[];
  problem: string;
  notes: Note[];
}

/** The tags of a line and of the edges of the band around it. */
export interface CustomMargin {
  value: string;
  lower: string;
  upper: string;
}

/** A chart of a layout: lines, or lines with bands. */
export interface CustomChart {
  title: string;
  lines: CustomLines[];
  margins: CustomMargin[];
}

/** A section of charts. */
export interface CustomCategory {
  title: string;
  is_closed: boolean;
  charts: CustomChart[];
}

/** The layouts of all runs in one; `problem` and `notes` say what is left out of it. */
export interface CustomLayout {
  categories: CustomCategory[];
  problem: string;
  notes: Note[];
}

export type GraphKind = "model" | "ops" | "profile";

/** What a run took: microseconds and bytes for each node of the graph, in its order; -1 where nothing is known. */
export interface GraphStats {
  micros: number[];
  bytes: number[];
}

/** A graph in columns.
 *
 * Of nodes: names (paths, with `/` between scopes), and the place of their op, device, dtype and output shapes in
 * `texts`; `parameters` counts elements of Variables. Of edges: source and target, places of nodes, the place of
 * the tensor's shape in `texts`, and whether it only says what comes first. `total` counts the nodes there are,
 * `lost` edges to nodes that are not there; `notes`, and `problem` in one text, say what is left out, or why nothing
 * is shown. */
export interface GraphBlob {
  kind: "model" | "ops" | "profile";
  problem: string;
  notes: Note[];
  total: number;
  lost: number;
  texts: string[];
  names: string[];
  ops: number[];
  devices: number[];
  dtypes: number[];
  outputs: number[];
  parameters: number[];
  sources: number[];
  targets: number[];
  shapes: number[];
  controls: number[];
  stats: GraphStats | null;
}

/** An attribute of a node as text; `nbytes` is its size in the file, of which the text may be a part. */
export interface GraphAttribute {
  name: string;
  text: string;
  nbytes: number;
}

/** All that is known of one node. Inputs are as the file has them. */
export interface GraphNode {
  name: string;
  op: string;
  device: string;
  inputs: string[];
  outputs: string[];
  attributes: GraphAttribute[];
}

/** What the URL of one histogram gives: left edge, right edge and count of each bucket, and the percentiles. */
export interface HistogramBlob {
  buckets: number[][];
  percentiles: number[];
}

/** The JSON at the head of many histograms of one series, in the order they were written.
 *
 * Of the `total` there are, `steps` follow the cursor that was asked with, with `buckets` buckets in all. If
 * `is_reset`, that cursor no longer holds, and these are from the first on. */
export interface HistogramsHead {
  run: string;
  tag: string;
  total: number;
  cursor: string;
  is_reset: boolean;
  steps: number;
  buckets: number;
}

export type MetricPoint = "last" | "min" | "max" | "mean";

export type HParamKind = "number" | "string" | "bool";

/** An hparam; `values` has one for each group, null where it was not set.
 *
 * In a column of numbers NaN and infinities are strings. Values of several types under one name are strings. */
export interface HParamColumn {
  name: string;
  display_name: string;
  description: string;
  kind: "number" | "string" | "bool";
  differs: boolean;
  values: (string | number | boolean | null)[];
}

/** A metric: `tag` in the folder `group` below a session; the mean over the sessions of each group.
 *
 * `is_declared` says that the experiment names it as what sessions are judged by. */
export interface MetricColumn {
  tag: string;
  group: string;
  display_name: string;
  description: string;
  is_declared: boolean;
  values: (number | string | null)[];
}

/** A trial: sessions with one group name. `runs` are the ids of all its runs, the sessions' first. */
export interface SessionGroup {
  name: string;
  sessions: string[];
  runs: string[];
  status: string;
  start_time: number | null;
  duration_s: number | null;
}

/** The table of all sessions; `left_out`, and `notes` one by one, say what is not in it. */
export interface HParamsAnswer {
  groups: SessionGroup[];
  hparams: HParamColumn[];
  metrics: MetricColumn[];
  left_out: string;
  notes: Note[];
}

/** How much one hparam matters.
 *
 * `importance` is the share of the metric's spread that the forest can no longer predict once the values of this
 * hparam are shuffled, `error` its standard error; both null if nothing was computed. `correlation` is Spearman's for
 * numbers, and for others the correlation ratio, which has no sign; null where it is not defined. */
export interface HParamImportance {
  name: string;
  display_name: string;
  kind: "number" | "string" | "bool";
  is_constant: boolean;
  importance: number | null;
  error: number | null;
  correlation: number | null;
}

/** Which hparams matter for a metric, the most important first.
 *
 * `explained` is how much of the order of sessions the forest predicts of those it has not seen: 1 for all of it,
 * 0 or less for nothing. It is null, and `reason` (one by one `notes`) says why, if there is too little to
 * compute from. */
export interface ImportanceAnswer {
  sessions: number;
  explained: number | null;
  reason: string;
  notes: Note[];
  hparams: HParamImportance[];
}

/** What the URL of a PR curve gives: a number for each threshold, evenly from 0 to 1; null where it is none.
 *
 * Thresholds at the end which nothing reaches are left out: precision means nothing there. `thresholds` counts all.
 * `problem` says why there is no curve; "" if all is well. */
export interface PrCurveBlob {
  thresholds: number;
  true_positives: (number | null)[];
  false_positives: (number | null)[];
  true_negatives: (number | null)[];
  false_negatives: (number | null)[];
  precision: (number | null)[];
  recall: (number | null)[];
  problem: string;
}

export type RemedyKind = "dataset" | "workers" | "no_generator" | "prefetch" | "cache" | "parallel_map" | "batch_first" | "less_work" | "callbacks" | "larger_batches" | "staging" | "equal_shapes" | "tensors";

export type VerdictKind = "input" | "callbacks" | "host" | "device" | "compile" | "unknown";

export type EventKind = "xla" | "framework" | "input" | "python" | "runtime";

/** What to do, in a sentence; `subject` is the function or stage it is about, "" if it is about none. */
export interface ProfileRemedy {
  kind: "dataset" | "workers" | "no_generator" | "prefetch" | "cache" | "parallel_map" | "batch_first" | "less_work" | "callbacks" | "larger_batches" | "staging" | "equal_shapes" | "tensors";
  subject: string;
  text: string;
}

/** What training waits for, and what to do; `share` is the share of step time. */
export interface ProfileVerdict {
  kind: "input" | "callbacks" | "host" | "device" | "compile" | "unknown";
  share: number;
  text: string;
  remedies: ProfileRemedy[];
}

/** Steps in columns, in order; an entry with a `count` above 1 is that many steps that ran as one program.
 *
 * `names` are indices into `kinds`. `phases` holds seconds by phase. `total` counts those there are. */
export interface ProfileSteps {
  kinds: string[];
  names: number[];
  numbers: number[];
  counts: number[];
  starts: number[];
  walls: number[];
  phases: Record<string, number[]>;
  total: number;
}

/** What events of one name took: in all, and without what is nested in them (`own`).
 *
 * `type` is what it computes ('matmul', 'Relu', a stage, a file of Python); `detail` dtype and shape. */
export interface ProfileOp {
  name: string;
  kind: "xla" | "framework" | "input" | "python" | "runtime";
  type: string;
  module: string;
  detail: string;
  is_gradient: boolean;
  count: number;
  total: number;
  own: number;
}

/** Memory in use over time, in bytes: of the process, in arrays, and what an allocator said. May be empty. */
export interface ProfileMemory {
  starts: number[];
  process: number[];
  arrays: number[];
  allocator_starts: number[];
  allocator: number[];
  allocator_peak: number;
}

/** A step of an input pipeline; `busy` is what its function, or the stage itself, took in `calls` calls. */
export interface ProfileStage {
  method: string;
  function: string;
  workers: number;
  busy: number;
  calls: number;
}

/** Where batches came from: `reads` of them took `wall` seconds, on whatever thread. */
export interface ProfilePipeline {
  reads: number;
  wall: number;
  stages: ProfileStage[];
}

/** A program that was compiled. */
export interface ProfileCompile {
  name: string;
  start: number;
  wall: number;
  is_cached: boolean;
}

/** One host's part of a profile, but for its events.
 *
 * `breakdown` is seconds by phase of the steps the verdict is about; `is_measured` says that phases were measured by
 * TapeFlow, and not judged from the trace. `hooks` has the seconds of callbacks between steps by hook, `callbacks`
 * those in steps by class. `op_total` counts the names there are; `damages` say what could not be
 * read. */
export interface ProfileOverview {
  run: string;
  session: string;
  host: string;
  hosts: string[];
  device: string;
  duration: number;
  is_measured: boolean;
  verdict: ProfileVerdict;
  breakdown: Record<string, number>;
  main: string;
  steps: ProfileSteps;
  ops: ProfileOp[];
  op_total: number;
  low_precision_share: number;
  memory: ProfileMemory;
  pipelines: ProfilePipeline[];
  compiles: ProfileCompile[];
  hooks: Record<string, number>;
  callbacks: Record<string, number>;
  events: number;
  damages: string[];
}

/** A thread or stream; `lanes` are how many rows of the columns lie in each of its lanes. */
export interface ProfileTrack {
  process: string;
  name: string;
  lanes: number[];
}

/** What events are called. */
export interface ProfileLabel {
  name: string;
  kind: "xla" | "framework" | "input" | "python" | "runtime";
}

/** The JSON at the head of a timeline.
 *
 * `length` rows follow, `total` events there are in all, `window_total` of them in the window from `begin` to `end`
 * (nanoseconds). Where `is_raw` is false, events shorter than `resolution` nanoseconds that stand close together are
 * merged: such a row counts several and has the label of the first. */
export interface TimelineHead {
  tracks: ProfileTrack[];
  labels: ProfileLabel[];
  length: number;
  total: number;
  window_total: number;
  begin: number;
  end: number;
  resolution: number;
  is_raw: boolean;
  left_out: number;
}

/** What a file says about one event; times are in nanoseconds. */
export interface ProfileEvent {
  name: string;
  kind: "xla" | "framework" | "input" | "python" | "runtime";
  process: string;
  track: string;
  start: number;
  duration: number;
  args: Record<string, string>;
}

export type ProjectorMethod = "tsne" | "umap";

export type ProjectorJobState = "waiting" | "running" | "done" | "failed" | "cancelled";

export type ProjectorColumnKind = "categories" | "numbers" | "texts";

/** The size of each picture in the picture of all pictures. */
export interface ProjectorSprite {
  width: number;
  height: number;
}

/** A set of points at one step; `step` is null where none was given, sizes are where the configuration is silent.
 *
 * `version` changes whenever the files do. */
export interface ProjectorStep {
  step: number | null;
  version: string;
  points: number | null;
  dimensions: number | null;
  has_metadata: boolean;
  sprite: ProjectorSprite | null;
  has_bookmarks: boolean;
}

/** What was logged under one name in one run, in order of steps. */
export interface ProjectorSet {
  run: string;
  run_name: string;
  name: string;
  steps: ProjectorStep[];
}

/** All sets; `problems` says which configurations cannot be read, `missing` what methods lack, in words. */
export interface ProjectorSets {
  sets: ProjectorSet[];
  problems: Note[];
  missing: Record<string, string>;
}

/** A column of metadata; `distinct` counts different values. */
export interface ProjectorColumn {
  name: string;
  kind: "categories" | "numbers" | "texts";
  distinct: number;
}

/** One step in detail; `notes` says what was cut or could not be read. */
export interface ProjectorFacts {
  points: number;
  dimensions: number;
  columns: ProjectorColumn[];
  notes: Note[];
  bookmarks: unknown[];
}

/** All cells of one point, by the names of their columns. */
export interface ProjectorRow {
  index: number;
  cells: string[][];
}

/** The nearest points, the nearest first, without the point itself. */
export interface ProjectorNeighbors {
  index: number;
  metric: "cosine" | "euclidean";
  indices: number[];
  distances: number[];
}

/** An array of a packed message. */
export interface ProjectorArray {
  name: string;
  dtype: "f4" | "u4";
  length: number;
}

/** The head of a packed layout; columns are `0`, `1`, ... in the order asked for. NaN: a point without a place. */
export interface ProjectorLayoutHead {
  arrays: ProjectorArray[];
  iteration: number;
  total: number;
  variance: number[];
  message: string;
  note: Note | null;
}

/** The head of a packed column: `codes` point into `values`, or there are `numbers` and no values. */
export interface ProjectorColumnHead {
  arrays: ProjectorArray[];
  kind: "categories" | "numbers" | "texts";
  values: string[];
}

/** A projection that takes a while; `layout` counts the layouts there have been so far.
 *
 * `note` says what is done before there are iterations to count; `message` has the same in English, or the failure. */
export interface ProjectorJob {
  id: string;
  method: "tsne" | "umap";
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  iteration: number;
  total: number;
  layout: number;
  message: string;
  note: Note | null;
}

export type RunStanding = "reading" | "unreadable" | "running" | "finished" | "stopped" | "stalled" | "crashed" | "ended";

export type RunHParamKind = "number" | "string" | "bool";

/** A run as its user sees it: a folder, and the `train` and `validation` in it.
 *
 * `id` is that of the run whose settings count for the row; `runs` has the ids of all. `standing` is `ended` where
 * nothing is written any more and the files do not tell how it ended. */
export interface RunRow {
  id: string;
  name: string;
  runs: string[];
  standing: "reading" | "unreadable" | "running" | "finished" | "stopped" | "stalled" | "crashed" | "ended";
  host: string;
}

/** An hparam; `values` has one for each row, null where it was not set.
 *
 * In a column of numbers NaN and infinities are strings. Values of several types under one name are strings. */
export interface RunHParam {
  name: string;
  kind: "number" | "string" | "bool";
  differs: boolean;
  values: (string | number | boolean | null)[];
}

/** The head of the message in columns that is the table; the ids and names are of its rows, as in `RunRow`.
 *
 * `members` has, by the number of the row, the ids of rows that are not one run alone. The columns are the places of
 * standing and host in `standings` and `hosts`, the start, the duration in seconds and the number of points of every
 * row, and then six for each of `scalars`, which names them: last value and step, least value and step, largest value
 * and step. NaN stands for what there is not; a step is NaN only where a row does not have the scalar. `version` is
 * that of the overview that has the same runs. */
export interface RunsTable {
  version: number;
  ids: string[];
  names: string[];
  members: Record<string, string[]>;
  standings: ("reading" | "unreadable" | "running" | "finished" | "stopped" | "stalled" | "crashed" | "ended")[];
  hosts: string[];
  hparams: RunHParam[];
  scalars: string[];
  left_out: string;
  notes: Note[];
  columns: ((string | number | null)[])[];
}

/** A series of numbers of a run; NaN and infinities are strings. */
export interface RunScalar {
  name: string;
  run: string;
  tag: string;
  count: number;
  last: number | string;
  last_step: number;
  least: number | string;
  least_step: number;
  largest: number | string;
  largest_step: number;
}

/** An event file of a run. */
export interface RunFile {
  run: string;
  name: string;
  nbytes: number;
}

/** Something that a run says of itself: `facts` by name, or a `text`, cut if it was too long.
 *
 * `kind` says how a text is shown: as it is, as a diff, as what a program printed, or as Markdown. */
export interface RunSection {
  name: string;
  kind: "facts" | "text" | "diff" | "console" | "markdown";
  facts: Record<string, string>;
  text: string;
  is_cut: boolean;
}

/** A metric of the machine over the seconds since the run began, thinned out; `unit` is `%`, `B` or `B/s`.
 *
 * `tag` names it for those who say its title in another language. */
export interface RunChart {
  tag: string;
  title: string;
  unit: string;
  seconds: number[];
  values: (number | string)[];
}

/** All that is known of one run but its media and curves. */
export interface RunPage {
  row: RunRow;
  start_time: number | null;
  last_time: number | null;
  duration_s: number | null;
  points: number;
  hparams: Record<string, string | number | boolean>;
  scalars: RunScalar[];
  files: RunFile[];
  notes: Note[];
  sections: RunSection[];
  system: RunChart[];
}

/** A run in the trash; `trash` names it for those who want it back. */
export interface TrashedRun {
  trash: string;
  name: string;
  time: number;
  files: number;
  nbytes: number;
}

/** What is in the trash, the latest first; `refused` says of what could not be moved why. */
export interface TrashAnswer {
  trashed: TrashedRun[];
  refused: Note[];
}

/** Which runs to delete, by the ids of their rows. */
export interface TrashRequest {
  runs: string[];
}

/** What to take out of the trash, or to delete for good, by `trash`. */
export interface RestoreRequest {
  trashed: string[];
}
