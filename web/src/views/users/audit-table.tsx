import { useEffect, useState } from 'preact/hooks';
import { Audit } from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { ListedAccount } from '../../data/users/accounts.ts';
import { type AuditRow, detailText, groupNames, withNames } from '../../data/users/audit-words.ts';
import { type Moments, parseField } from '../../format/moment.ts';
import { visibleText } from '../../format/visible.ts';
import { Command } from '../../parts/command.tsx';
import { FaultNotice } from '../../parts/notice.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import { TextField } from '../../parts/text-field.tsx';
import type { UsersViewProps } from './users-props.ts';

const COLUMNS = ['When', 'Who', 'From', 'What', 'Object', 'Details'];

/** Rows that are shown at first, and how many more on demand. */
const FIRST = 20;
const STEP = 100;

/** The most rows that the server lists. */
const MOST = 1000;

type AuditTableProps = UsersViewProps & {
  readonly accounts: readonly ListedAccount[];
  /** Rises with each change, which is a new row. */
  readonly changes: number;
};

/** Who changed what, newest first. */
export function AuditTable(props: AuditTableProps) {
  const { address, session, moments, changes } = props;
  const { actor, since } = address;
  const [most, setMost] = useState(FIRST);
  useEffect(() => setMost(FIRST), [actor, since]);
  // One more than is shown tells whether there are more.
  const asked = useAnswer(Audit, { user: actor, since, rows: Math.min(most + 1, MOST) }, session);
  const { data, problems, fault, isLoading, reload, refresh } = asked;
  useEffect(() => {
    if (changes > 0) refresh();
  }, [changes]);
  const [problem] = problems;
  const broken = fault ?? (problem ? faultOfProblem(problem) : null);
  if (broken)
    return <FaultNotice fault={broken} onRetry={reload} missing="The audit is missing." />;
  const rows = data?.audit ?? null;
  if (!rows) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  return (
    <div class={isLoading ? 'is-stale' : ''} aria-busy={isLoading}>
      <TableCard
        name="Audit"
        note="newest first"
        head={<AuditFilter key={`${actor} ${since}`} {...props} />}
        columns={COLUMNS}
        empty="Nothing is recorded."
        foot={
          rows.length > most || rows.length >= MOST ? (
            <More most={most} isLoading={isLoading} onMore={() => setMost(most + STEP)} />
          ) : null
        }
      >
        {rows.slice(0, most).map((row, index) => (
          <Row key={index} row={row} moments={moments} contexts={props.contexts} />
        ))}
      </TableCard>
    </div>
  );
}

type MoreProps = {
  readonly most: number;
  readonly isLoading: boolean;
  readonly onMore: () => void;
};

const More = ({ most, isLoading, onMore }: MoreProps) => (
  <div class="card-foot">
    {most < MOST ? (
      <button
        type="button"
        class="button"
        aria-disabled={isLoading}
        onClick={isLoading ? undefined : onMore}
      >
        Show {STEP} more
      </button>
    ) : (
      <p class="hint">
        Only the newest {MOST} rows are listed here. <Command>audit</Command> lists all.
      </p>
    )}
  </div>
);

type RowProps = {
  readonly row: AuditRow;
  readonly moments: Moments;
  readonly contexts: AuditTableProps['contexts'];
};

function Row({ row, moments, contexts }: RowProps) {
  const names = groupNames(row, contexts);
  return (
    <tr class="audit-row">
      <td data-name="When">{moments.full(row.at)}</td>
      <td data-name="Who">{row.user ?? 'several'}</td>
      <td data-name="From">{row.from ?? 'several'}</td>
      <th scope="row">{row.action}</th>
      <td class="is-wrapped" data-name="Object" title={row.object}>
        {withNames(visibleText(row.object, row.object), names)}
      </td>
      <td class="is-wrapped" data-name="Details">
        {withNames(detailText(row, moments), names)}
      </td>
    </tr>
  );
}

/** Rendered anew when the address changes, so that its fields show what is filtered by. */
function AuditFilter({ address, navigate, moments, accounts }: AuditTableProps) {
  const { actor, since } = address;
  const [who, setWho] = useState(actor ?? '');
  const [day, setDay] = useState(since === null ? '' : moments.field(since).slice(0, 10));
  return (
    <form
      class="audit-filter"
      aria-label="Filter of the audit"
      onSubmit={(event) => {
        event.preventDefault();
        navigate.go({
          actor: who.trim() || null,
          since: day === '' ? null : parseField(day, moments.zone),
        });
      }}
    >
      <TextField
        label="Done by"
        placeholder="anyone"
        value={who}
        onInput={setWho}
        known={accounts.filter(({ isGroup }) => !isGroup).map(({ name }) => name)}
      />
      <TextField type="date" label="Since" value={day} onInput={setDay} />
      <button type="submit" class="button">
        Show
      </button>
      {(actor !== null || since !== null) && (
        <button
          type="button"
          class="text-button"
          onClick={() => navigate.go({ actor: null, since: null })}
        >
          Show all
        </button>
      )}
    </form>
  );
}
