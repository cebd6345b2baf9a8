import type { StorageQuery } from '../../../generated/operations.ts';
import { minus, toNumber } from '../../format/big-number.ts';
import { formatAmount, formatShare, joined } from '../../format/quantity.ts';
import { Command } from '../../parts/command.tsx';
import { Term } from '../../parts/term.tsx';
import type { ViewProps } from '../view-props.ts';
import { STORED } from './slice-row.ts';

type Pool = NonNullable<NonNullable<StorageQuery['context']>['pools']>[number];

type PoolListProps = ViewProps & { readonly pools: readonly Pool[] | null };

/** The storage pools of slices, and how much space is left in each. */
export function PoolList(props: PoolListProps) {
  const { pools, address } = props;
  if (pools === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  return (
    <section class="card" aria-label="Pools">
      <div class="card-head">
        <h2>
          <Term word="pool">Pools</Term> <span>· {pools.length}</span>
        </h2>
      </div>
      {pools.length === 0 ? (
        <p class="card-text">
          No pool is declared, and the server cannot see the database's own file system. Declare a
          pool for {address.context} with <Command>apply</Command>:{' '}
          <code>{'"pools": [{ "name": "oper", "path": "/data/oper" }]'}</code>
        </p>
      ) : (
        <ul class="pools">
          {pools.map((pool) => (
            <PoolItem key={pool.id} {...props} pool={pool} />
          ))}
        </ul>
      )}
    </section>
  );
}

const BYTES = { kind: 'bytes' } as const;

/** Share of used space above which a pool counts as full. */
const FULL = 0.9;

function PoolItem({ pool, ...props }: ViewProps & { readonly pool: Pool }) {
  const { totalSize, availSize } = pool;
  const isKnown = totalSize !== null && availSize !== null && toNumber(totalSize) > 0;
  const used = isKnown ? minus(totalSize, availSize) : 0;
  const share = isKnown ? toNumber(used) / toNumber(totalSize) : 0;
  const formatBytes = (bytes: number | string) => joined(formatAmount(bytes, BYTES, STORED(props)));
  const facts = [
    pool.mounted,
    pool.fileSystem,
    pool.offlineArchive
      ? `offline archive, ${pool.offlineArchiveMounted ? 'mounted' : 'not mounted'}`
      : null,
    pool.additionalInfo,
  ].filter(Boolean);
  return (
    <li class="pool">
      <div class="pool-head">
        <h3>{pool.name}</h3>
        <span class={`status is-${pool.status}`}>{pool.status}</span>
      </div>
      {isKnown ? (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a meter cannot be styled like this. */}
          <div
            class={`meter ${share > FULL ? 'is-full' : ''}`}
            role="meter"
            aria-label={`Used space of ${pool.name}`}
            aria-valuenow={Math.round(share * 100)}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuetext={`${formatShare(share)} used, ${formatBytes(availSize)} free`}
          >
            <span style={{ width: `${share * 100}%` }} />
          </div>
          <p class="pool-figures">
            <span>
              {formatBytes(used)} used · {formatShare(share)}
            </span>
            <span>
              <strong>{formatBytes(availSize)}</strong> free of {formatBytes(totalSize)}
            </span>
          </p>
        </>
      ) : (
        <p class="hint">Size unknown: the pool is not mounted on the server's host.</p>
      )}
      <p class="hint is-path">{facts.join(' · ')}</p>
    </li>
  );
}
