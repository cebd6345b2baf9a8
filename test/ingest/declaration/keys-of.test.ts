import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selectContext } from '../../../db/sql/contexts.ts';
import { selectGroups } from '../../../db/sql/declaration.ts';
import { exportDeclaration } from '../../../export/declaration.ts';
import { group, guidOf, startLab } from '../../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';

const HOSTS = guidOf(1);
const INSIDE = guidOf(2);

let lab: TestService;

beforeEach(async () => {
  lab = await startLab({
    groups: [
      group(1, { key_kind: 'ip', name: 'Hosts' }),
      group(2, { key_kind: 'ip', name: 'Inside' }),
      group(3, { key_kind: 'ip' }),
      group(4),
    ],
  });
});

afterEach(() => lab.close());

const declare = (guid: string, keys_of: string | null) =>
  lab.apply({ context: CONTEXT, groups: [{ guid, keys_of }] });

const texts = () =>
  lab.sql(`select g.name, key, label, label_source as source, description, attributes
    from key_texts join counter_groups g using (group_id) order by 1, 2`);

describe('keys_of', () => {
  it('is exported as declared, and changed or ended later, whatever data there are', async () => {
    await declare(INSIDE, HOSTS);
    const exported = await lab.write(async (connection) => {
      const context = await selectContext(connection, CONTEXT);
      if (!context) throw new Error('the context is there');
      const groups = await selectGroups(connection, context.contextId);
      return exportDeclaration(connection, { name: CONTEXT, context, groups });
    });
    const { groups } = JSON.parse(exported.text);
    expect(groups[1]).toMatchObject({ guid: INSIDE, keys_of: HOSTS });
    expect(groups[0]).not.toHaveProperty('keys_of');
    await declare(INSIDE, guidOf(3));
    await declare(INSIDE, null);
    expect(await lab.sql('select from counter_groups where keys_of is not null')).toEqual([]);
  });

  it.each([
    [guidOf(9), `must name another group of the context, got ${guidOf(9)}`],
    [INSIDE, `must name another group of the context, got ${INSIDE}`],
    [guidOf(4), `must name a group with keys of kind ip, got ${guidOf(4)} of text`],
  ])('is refused if it names %s', async (keysOf, message) => {
    await expect(declare(INSIDE, keysOf)).rejects.toThrow(
      `group ${INSIDE}: keys_of ${message}: name another group, or leave it out`,
    );
  });

  it('is one step, from either side', async () => {
    await declare(INSIDE, HOSTS);
    const chain = (guid: string, of: string, next: string) =>
      `group ${guid}: keys_of must name a group whose keys are its own, got ${of}, whose keys_of is ${next}`;
    await expect(declare(guidOf(3), INSIDE)).rejects.toThrow(chain(guidOf(3), INSIDE, HOSTS));
    await expect(declare(HOSTS, guidOf(3))).rejects.toThrow(chain(INSIDE, HOSTS, guidOf(3)));
  });

  it('moves texts to the other group: none is lost, and none of a user overwritten', async () => {
    await lab.sql(
      `insert into key_texts (group_id, key, label, label_source, description, attributes,
         answered_us)
       select group_id, t.key, t.label, t.source, t.description, t.attributes::jsonb, t.answered
       from (values
         ('Inside', '0A.00.00.01', 'mine', 'user', null, '{"a": "1"}', null),
         ('Inside', '0A.00.00.02', 'other', 'user', 'one', '{"a": "1", "b": "2"}', null),
         ('Hosts', '0A.00.00.02', 'kept', 'user', 'two', '{"a": "0"}', null),
         ('Inside', '0A.00.00.03', 'typed', 'user', null, null, null),
         ('Hosts', '0A.00.00.03', 'asked', 'dns', null, null, 9),
         ('Inside', '0A.00.00.04', 'older', 'dns', null, null, 5),
         ('Hosts', '0A.00.00.04', 'newer', 'dns', null, null, 9)
       ) as t(name, key, label, source, description, attributes, answered)
       join counter_groups using (name)`,
    );
    await declare(INSIDE, HOSTS);
    const none = { description: null, attributes: null };
    expect(await texts()).toEqual([
      { ...row('01', 'mine', 'user'), ...none, attributes: { a: '1' } },
      {
        ...row('02', 'kept', 'user'),
        description: 'two',
        attributes: {
          a: '0',
          b: '2',
          'a (Inside)': '1',
          'description (Inside)': 'one',
          'label (Inside)': 'other',
        },
      },
      { ...row('03', 'typed', 'user'), ...none },
      { ...row('04', 'newer', 'dns'), ...none },
    ]);
  });
});

const row = (last: string, label: string, source: string) => ({
  name: 'Hosts',
  key: `0A.00.00.${last}`,
  label,
  source,
});
