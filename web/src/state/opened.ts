/** Which run's page is open, and which runs are compared; both are in the address. */

import { setCodec, textCodec, urlSignal } from "./url";

/** The id of the run whose page is open; "" for the table. */
export const openedRun = urlSignal("run", "", textCodec);
/** Ids of the runs that are compared; none for the table. */
export const comparedRuns = urlSignal<ReadonlySet<string>>("compare", new Set(), setCodec);
