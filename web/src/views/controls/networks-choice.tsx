import { useState } from 'preact/hooks';
import { DEFAULT_PREFIX, MAX_BITS, PREFIXES, type Prefix } from '../../address/prefix.ts';
import { hasNetworks, prefixName } from '../../data/networks.ts';
import { Popover } from '../../parts/popover.tsx';
import type { ViewProps } from '../view-props.ts';

/** Chooses between addresses and networks; only for groups of addresses. */
export function NetworksChoice({ address, navigate, group }: ViewProps) {
  const { prefix } = address;
  if (!hasNetworks(group) && prefix === null) return null;
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        Networks
      </span>
      <Popover
        class="is-networks"
        name="Networks"
        label={
          <>
            <span class="sr-only">Networks: </span>
            {prefix ? prefixName(prefix, group) : 'Off'}
          </>
        }
      >
        {(close) => (
          <NetworksPicker
            chosen={prefix}
            group={group}
            onChoose={(next) => {
              close();
              // Networks of one length do not exist in another.
              navigate.go({ prefix: next, hidden: [], key: null });
            }}
          />
        )}
      </Popover>
    </div>
  );
}

type NetworksPickerProps = Pick<ViewProps, 'group'> & {
  readonly chosen: Prefix | null;
  readonly onChoose: (prefix: Prefix | null) => void;
};

function NetworksPicker({ chosen, group, onChoose }: NetworksPickerProps) {
  const preset = (prefix: Prefix | null) => (
    <li key={prefix?.ipv4 ?? 'off'}>
      <button
        type="button"
        class="preset"
        aria-pressed={prefix?.ipv4 === chosen?.ipv4 && prefix?.ipv6 === chosen?.ipv6}
        onClick={() => onChoose(prefix)}
      >
        {prefix ? `Networks ${prefixName(prefix, group)}` : 'Off: individual addresses'}
      </button>
    </li>
  );
  return (
    <div class="networks">
      <ul class="presets" aria-label="Usual lengths">
        {[null, ...PREFIXES].map(preset)}
      </ul>
      <OwnLengths chosen={chosen} group={group} onChoose={onChoose} />
    </div>
  );
}

/** Other lengths; that of a family which the group does not have stays unchanged. */
function OwnLengths({ chosen, group, onChoose }: NetworksPickerProps) {
  const [lengths, setLengths] = useState(chosen ?? DEFAULT_PREFIX);
  const families = (['ipv4', 'ipv6'] as const).filter(
    (family) => group?.keyKind !== OTHER_KIND[family],
  );
  return (
    <form
      class="networks-own"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(lengths);
      }}
    >
      {families.map((family) => (
        <label key={family} class="field">
          <span class="field-label">{FAMILY_NAMES[family]} length</span>
          <input
            type="number"
            required
            min={0}
            max={MAX_BITS[family]}
            step={1}
            value={lengths[family]}
            onInput={({ currentTarget: { valueAsNumber } }) =>
              setLengths((before) => ({ ...before, [family]: valueAsNumber }))
            }
          />
        </label>
      ))}
      <button type="submit" class="button is-primary">
        Show
      </button>
    </form>
  );
}

const FAMILY_NAMES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

/** The kind of group that has no addresses of the family. */
const OTHER_KIND = { ipv4: 'IPV6', ipv6: 'IPV4' } as const;
