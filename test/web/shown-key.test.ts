import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';
import { drilldownGroups, keyQuestion } from '../../web/src/data/shown-key.ts';

describe('the cross-key groups that a key is drilled down by', () => {
  const guids = ['1', '2', '3', '4', '5'].map((n) => `{00000000-0000-4000-8000-00000000000${n}}`);
  const meters = [{ index: 0, name: 'Total', units: 'bytes', type: 'VT_COUNTER' }];
  const group = (guid: string, drilldowns: string[]) => ({
    guid,
    name: guid,
    keyKind: 'IP',
    bucketSize: 60,
    topperBucketSize: 300,
    meters,
    crosskey: null,
    timeInterval: null,
    drilldowns: drilldowns.map((each) => ({ guid: each })),
  });
  const own = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
  const choice = {
    counterGroups: [group(own, guids), ...guids.map((guid) => group(guid, []))],
  } as unknown as ContextChoice;

  it('are three at a time, beginning with the chosen one, and the others are listed', () => {
    const of = choice.counterGroups[0] ?? null;
    const names = (first: string | null) => {
      const { shown, more } = drilldownGroups(choice, of, first);
      return [shown.map(({ guid }) => guid), more.map(({ guid }) => guid)];
    };
    const [a, b, c, d, e] = guids;
    expect(names(null)).toEqual([
      [a, b, c],
      [d, e],
    ]);
    expect(names(d ?? '')).toEqual([
      [d, e, a],
      [b, c],
    ]);
    expect(names(own)).toEqual(names(null));
  });

  it('are none for a network, which is requested with the addresses within it', () => {
    const network = 'C0.A8.01.00/18';
    const address = parseAddress(`?context=lab&group=${own}&prefix=24&key=${network}`);
    const { operation, variables } = keyQuestion(address, choice, network);
    expect(operation.name).toBe('NetworkPanel');
    expect(variables).toMatchObject({
      key: network,
      prefix: { ipv4: 24, ipv6: 48 },
      cidr: '192.168.1.0/24',
    });
  });

  it('are requested all at once', () => {
    const address = parseAddress(`?context=lab&group=${own}&key=x&by=${guids[4]}`);
    const { variables } = keyQuestion(address, choice, 'x');
    expect(variables.by.map(({ crosskey }) => crosskey)).toEqual([guids[4], guids[0], guids[1]]);
  });
});
