import type { Address } from '../../address/address.ts';
import { seriesColor } from '../../chart/palette.ts';
import { chartData, coveredPart } from '../../data/chart-data.ts';
import { distinctLabels, readableBeside, shownLabel } from '../../data/key-parts.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { type ShownCard, termsOf } from '../../data/overview/shown-overview.ts';
import { amountQuantity, shareQuantity } from '../../data/row-figures.ts';
import { allDigits, partOf, toNumber } from '../../format/big-number.ts';
import { counted } from '../../format/counted.ts';
import { Figure } from '../../parts/figure.tsx';
import { FaultNotice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { OF_NO_GROUP } from '../view-props.ts';
import type { OverviewProps } from './overview-props.ts';
import { Sparkline } from './sparkline.tsx';

type TopCardProps = OverviewProps & { readonly card: ShownCard };

/** The largest keys of a group. Its name leads to all of them, and each key to its panel. */
export function TopCard(props: TopCardProps) {
  const { card, onReload } = props;
  const { group, whole, topper, fault } = card;
  return (
    <section class="card top-card" aria-label={group.name}>
      <div class="card-head">
        <h2>
          <TopLink {...props} target={{}}>
            {group.name}
          </TopLink>
        </h2>
        {topper && (
          <span class="hint">
            {counted(topper.keyCount, 'key')}
            {whole && ` · % of ${whole.name}`}
          </span>
        )}
      </div>
      {fault && <FaultNotice fault={fault} onRetry={onReload} />}
      {topper && <Keys {...props} topper={topper} />}
    </section>
  );
}

type KeysProps = TopCardProps & { readonly topper: NonNullable<ShownCard['topper']> };

function Keys(props: KeysProps) {
  const { card, topper, address, theme } = props;
  const { group, meter, step, whole } = card;
  const terms = termsOf(group, meter, address.units);
  const isSum = addsUp(terms.kind);
  const { units = '' } = group.meters.find(({ index }) => index === meter) ?? {};
  const largest = Math.max(0, ...topper.keys.map(({ metric }) => toNumber(metric)));
  const { lines } = chartData(
    { keys: topper.keys, whole: null },
    {
      kind: terms.kind,
      bucketSize: group.bucketSize,
      step,
      covered: coveredPart(topper.window, topper.availableWindow),
    },
  );
  const color = seriesColor(theme.theme, 0);
  const names = distinctLabels(topper.keys, group);
  return (
    <ol class={whole && isSum ? '' : 'has-no-shares'}>
      {topper.keys.map((row, index) => (
        <li key={row.key}>
          <TopLink {...props} target={{ key: row.key }} title={readableBeside(row, group)}>
            {names.get(row.key) ?? shownLabel(row, group)}
          </TopLink>
          <Figure
            quantity={amountQuantity(row, terms)}
            title={`${allDigits(row.volume ?? row.metric)} ${units}`}
          />
          {isSum && whole && <Figure quantity={shareQuantity(row.metric, whole.total)} />}
          {isSum && (
            <span class="share-track" aria-hidden="true">
              <span
                class="share-bar"
                style={{ width: `${100 * partOf(row.metric, largest)}%`, backgroundColor: color }}
              />
            </span>
          )}
          <Sparkline values={lines[index]?.values ?? []} />
        </li>
      ))}
    </ol>
  );
}

type TopLinkProps = TopCardProps & {
  readonly target: Partial<Address>;
  readonly title?: string | null;
  readonly children: string;
};

/** Leads to what is compared as it is here. */
function TopLink({ card, address, navigate, target, title, children }: TopLinkProps) {
  const { group, meter } = card;
  const compare = address.compare === 'week' ? 'week' : 'day';
  const to = { ...OF_NO_GROUP, view: 'top', group: group.guid, meter, compare } as const;
  const whole = { ...to, ...target };
  return (
    <a
      class="key-link"
      href={navigate.link(whole)}
      title={title ?? children}
      onClick={onPlainClick(() => navigate.go(whole))}
    >
      {children}
    </a>
  );
}
