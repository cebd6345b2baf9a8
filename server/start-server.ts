import { FailedSignIns } from './admission/failed-sign-ins.ts';
import { TokenUses } from './admission/token-uses.ts';
import { registerProcesses } from './processes/process-metrics.ts';
import { type BackgroundOptions, startBackground } from './start-background.ts';
import { type ServingOptions, startServing } from './start-serving.ts';

export type RunningServer = {
  /** Such as `http://127.0.0.1:4000`, with the port that the server listens on. */
  readonly url: string;
  /** Reports on /readyz that requests should go elsewhere, but still answers all of them. */
  beginToClose(): void;
  /** Empties all caches kept between requests: later requests read everything again. */
  emptyCaches(): void;
  /** Merges and sweeps now what the server would merge and sweep on its next pass. */
  mergeNow(): Promise<void>;
  /** Drops now the slices that the server would drop on its next pass. */
  dropExpiredNow(): Promise<void>;
  /** Evaluates now the alert windows that are due. */
  evaluateAlertsNow(): Promise<void>;
  /** Writes failed sign-ins, and logs what is new in the audit. */
  keepAuditNow(): Promise<void>;
  /** Writes when tokens were last used. */
  keepTokenUsesNow(): Promise<void>;
  /** Stops accepting requests, answers those in progress and releases every connection. */
  close(): Promise<void>;
};

/** Serves in this process until closed. Errors: the server cannot listen on the address. */
export async function startServer(
  options: ServingOptions & BackgroundOptions,
): Promise<RunningServer> {
  const failedSignIns = new FailedSignIns();
  const tokenUses = new TokenUses();
  const counted = { ...options, failedSignIns, tokenUses };
  const { url, service, end } = await startServing(counted);
  const { registry } = service.metrics;
  const background = startBackground(registry, counted);
  registerProcesses(registry, ALONE);
  return {
    url,
    beginToClose: () => service.state.beginToClose(),
    emptyCaches: () => service.memory.clear(),
    mergeNow: background.mergeNow,
    dropExpiredNow: background.dropExpiredNow,
    evaluateAlertsNow: background.evaluateAlertsNow,
    keepAuditNow: background.keepAuditNow,
    keepTokenUsesNow: background.keepTokenUsesNow,
    async close() {
      service.state.beginToClose();
      await Promise.all([background.stop(), end()]);
    },
  };
}

const ALONE = { serving: () => 1, replaced: () => ({ died: 0, ended: 0 }) };
