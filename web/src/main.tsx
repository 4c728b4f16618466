/** Starts the page. */

import { render } from "preact";
import { App } from "./shell/app";
import { watchShortcuts } from "./shell/shortcuts";
import { start } from "./state/live";
import { syncAddress } from "./state/url";
import "./ui/panel.css";
import { watchTips } from "./ui/tip";

syncAddress();
watchTips();
watchShortcuts();
render(<App />, document.getElementById("app")!);
start();
