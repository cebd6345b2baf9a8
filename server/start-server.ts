import { registerProcesses } from './processes/process-metrics.ts';
import { type BackgroundOptions, startBackground } from './start-background.ts';
import { type ServingOptions, startServing } from './start-serving.ts';

export type RunningServer = {
  /** `http://127.0.0.1:4000`, with the port that was taken. */
  readonly url: string;
  /** Says on /readyz that requests should go elsewhere, and still answers all. */
  beginToClose(): void;
  /** Forgets all that is remembered between requests: the next ones read everything anew. */
  emptyCaches(): void;
  /** Merges and sweeps now what the server would merge and sweep at its next look. */
  mergeNow(): Promise<void>;
  /** Drops now the slices that the server would drop at its next look. */
  dropExpiredNow(): Promise<void>;
  /** Decides now the windows of alerts that are due. */
  decideAlertsNow(): Promise<void>;
  /** Takes no more requests, answers those it has, gives every connection back. */
  close(): Promise<void>;
};

/** Serves in this process until closed. Errors: the address cannot be listened on. */
export async function startServer(
  options: ServingOptions & BackgroundOptions,
): Promise<RunningServer> {
  const { url, service, end } = await startServing(options);
  const { registry } = service.metrics;
  const background = startBackground(registry, options);
  registerProcesses(registry, ALONE);
  return {
    url,
    beginToClose: () => service.state.beginToClose(),
    emptyCaches: () => service.memory.clear(),
    mergeNow: background.mergeNow,
    dropExpiredNow: background.dropExpiredNow,
    decideAlertsNow: background.decideAlertsNow,
    async close() {
      service.state.beginToClose();
      await Promise.all([background.stop(), end()]);
    },
  };
}

const ALONE = { serving: () => 1, replaced: () => ({ died: 0, ended: 0 }) };
