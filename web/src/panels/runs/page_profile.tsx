/** What the latest profile of a run says. */

import { useEffect, useState } from "preact/hooks";
import type { ProfileOverview, Run } from "../../api/schema";
import { source, withQuery } from "../../api/source";
import { naturally } from "../../state/order";
import "../profile/profile.css";
import { VerdictCard } from "../profile/verdict";
import { Card } from "./sections";
import { t } from "./words";

export function Profile({ parts }: { parts: readonly Run[] }) {
  const [overview, setOverview] = useState<ProfileOverview | null>(null);
  const all = parts.flatMap((run) =>
    Object.entries(run.profiles).map(([name, version]) => ({ run, name, version })),
  );
  const latest = all.sort((a, b) => naturally(b.name, a.name))[0];
  const key = latest ? `${latest.run.id} ${latest.name} ${latest.version}` : "";
  useEffect(() => {
    if (!latest) return;
    let isCurrent = true;
    const query = { run: latest.run.id, session: latest.name, host: "" };
    source.get<ProfileOverview>(withQuery("api/v1/profile/overview", query)).then(
      (found) => isCurrent && setOverview(found),
      // The panel of profiles says what is wrong with one that cannot be read.
      () => isCurrent && setOverview(null),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  if (!latest || !overview) return null;
  return (
    <Card title={t("profile")}>
      <VerdictCard overview={overview} title={latest.name} />
    </Card>
  );
}
