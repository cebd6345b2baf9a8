import type { Address } from '../../address/address.ts';
import { prefixesWithin, prefixName } from '../../data/networks.ts';
import type { ShownKey } from '../../data/shown-key.ts';
import { visibleText } from '../../format/visible.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { Figures } from './key-facts.tsx';
import type { KeyViewProps } from './key-props.ts';
import { PartList } from './part-list.tsx';

type NetworkPartsProps = KeyViewProps & {
  readonly figures: Figures;
  readonly network: NonNullable<ShownKey['network']>;
};

/**
 * The largest addresses within a network, with links to rank all of them, or networks within it.
 */
export function NetworkParts(props: NetworkPartsProps) {
  const { network, figures, terms, group, navigate, shownKey, onReload } = props;
  const fault = shownKey.faults.within;
  const { cidr, within } = network;
  const inside = { filters: [{ kind: 'cidr', text: cidr }], hidden: [], key: null } as const;
  const narrower = prefixesWithin(cidr);
  return (
    <section class="drilldown" aria-label="Addresses within">
      <h3>Addresses within</h3>
      {fault && <FaultNotice fault={fault} onRetry={onReload} />}
      {within && (
        <PartList
          rows={within.keys}
          nameOf={({ key, label, readable }) =>
            linkTo({ ...inside, prefix: null, key }, visibleText(label, readable), readable)
          }
          keyCount={within.keyCount}
          others={within.othersMatching}
          total={figures.metric}
          terms={terms}
        />
      )}
      <p class="drilldown-ways">
        {linkTo({ ...inside, prefix: null }, 'Rank these addresses')}
        {narrower.map((prefix) => (
          <span key={prefix.ipv4}>
            {' · '}
            {linkTo({ ...inside, prefix }, `networks ${prefixName(prefix, group)}`)}
          </span>
        ))}
      </p>
    </section>
  );

  function linkTo(target: Partial<Address>, label: string, title?: string) {
    return (
      <a
        href={navigate.link(target)}
        title={title}
        onClick={onPlainClick(() => navigate.go(target))}
      >
        {label}
      </a>
    );
  }
}
