import { useEffect, useState } from 'preact/hooks';
import { isDemo } from '../../data/choices.ts';
import { patienceMs } from '../../data/live-top.ts';
import { ageText, exporterFaults } from '../../data/overview/context-status.ts';
import { counted } from '../../format/counted.ts';
import { isolated } from '../../format/isolated.ts';
import { OverviewLink } from './overview-link.tsx';
import type { OverviewProps } from './overview-props.ts';
import { StatusAlerts } from './status-alerts.tsx';

/** Whether all is well: what fires, how fresh the data are, and who sends them. */
export const StatusCard = (props: OverviewProps) => (
  <section class="card status-card" aria-label="Status">
    <StatusAlerts {...props} />
    <Freshness {...props} />
  </section>
);

/** Maximum number of exporters that are listed. */
const LISTED = 4;

const TICK_MS = 10_000;

/** The seconds of the browser's clock, some seconds old at most. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Data that come from collectors are late after some minutes; those from files never are. */
function Freshness(props: OverviewProps) {
  const { alerts, moments, shown } = props;
  const now = useNow();
  const newest = alerts.status?.newest ?? shown.choice.totalWindow?.to ?? null;
  const exporters = alerts.status?.exporters ?? [];
  // The demo ends when it was made.
  const patience = isDemo(shown.choice.name)
    ? Number.POSITIVE_INFINITY
    : patienceMs(shown.traffic?.subject.group ?? null) / 1000;
  const isLate = exporters.length > 0 && newest !== null && now - newest > patience;
  const faulty = exporters.flatMap((exporter) => {
    const faults = exporterFaults(exporter, { now, patience });
    return faults.length > 0 ? { address: exporter.address, faults } : [];
  });
  return (
    <div class="status-part">
      <h2>Data</h2>
      <p class={isLate ? 'status-late' : ''}>
        {newest === null ? (
          'There are none yet.'
        ) : (
          <>
            {isLate && <strong>Late: </strong>}
            The newest data end {ageText(now - newest)}
            <span class="hint"> ({moments.full(newest)})</span>
          </>
        )}
      </p>
      {exporters.length > 0 && (
        <>
          <ul>
            {faulty.slice(0, LISTED).map(({ address, faults }) => (
              <li key={address} class="status-late">
                <strong>{isolated(address)}</strong>: {faults.join('; ')}
              </li>
            ))}
          </ul>
          <p class="hint">{exportersText(exporters.length, faulty.length)}</p>
        </>
      )}
      {alerts.mayAdd && (
        <p class="hint">
          <OverviewLink {...props} target={{ view: 'add' }}>
            {exporters.length > 0 && !isDemo(shown.choice.name) ? 'All exporters' : 'Add data'}
          </OverviewLink>
        </p>
      )}
    </div>
  );
}

function exportersText(count: number, faulty: number): string {
  if (faulty === 0)
    return count === 1 ? 'Its exporter is in order.' : `All ${count} exporters are in order.`;
  return faulty === count ? '' : `${counted(count - faulty, 'other exporter')} in order.`;
}
