import { meterTypeName } from '../../domain/toppers/meter-type.ts';
import { findMeter } from '../../resolvers/counter-groups.ts';
import { askTopper } from '../../resolvers/toppers/toppers.ts';
import { builder } from '../builder.ts';
import { MeterTypeEnum } from '../enums.ts';
import { encodePath } from '../global-id.ts';
import { asSelected } from '../inputs/as-selected.ts';
import { decodeTopper, TOPPER_ARGS } from '../inputs/topper-args.ts';
import { CounterGroupRef, MeterRef, TopperRef } from '../refs.ts';
import { findGroupAt, loadAlone } from './find-node.ts';

builder.node(MeterRef, {
  description: 'One quantity that is measured for every key of a counter group.',
  authScopes: ({ group }) => ({ granted: group.at.name }),
  id: {
    resolve: ({ group, row }) => encodePath(group.at, group.guid.slice(1, -1), row.meterId),
  },
  loadOne: loadAlone(MeterRef, async (id, scope) => {
    const found = await findGroupAt(scope, id, 2);
    const [index = ''] = found?.rest ?? [];
    return found && /^\d{1,9}$/.test(index) ? findMeter(found.group, Number(index)) : null;
  }),
  fields: (t) => ({
    index: t.int({
      description: "The meter's number within its group: the `meter` of the REST endpoint.",
      resolve: ({ row }) => row.meterId,
    }),
    type: t.field({
      type: MeterTypeEnum,
      description: 'How its readings combine.',
      resolve: ({ row }) => meterTypeName(row.type),
    }),
    topCount: t.int({
      description: 'How many keys are usually listed.',
      resolve: ({ row }) => row.topcount,
    }),
    name: t.string({ description: 'Its name.', resolve: ({ row }) => row.name }),
    description: t.string({
      description: 'What it measures.',
      resolve: ({ row }) => row.description,
    }),
    units: t.string({
      description: 'Unit of its readings: bytes, packets, connections …',
      resolve: ({ row }) => row.units,
    }),
    counterGroup: t.field({
      type: CounterGroupRef,
      description: 'The group it belongs to.',
      resolve: ({ group }) => group,
    }),
    topper: t.field({
      type: TopperRef,
      nullable: true,
      description: 'The largest keys by this meter, and the total of the others.',
      args: TOPPER_ARGS,
      resolve: ({ group, row }, args, scope, info) =>
        askTopper(scope, asSelected(decodeTopper(group, row.meterId, args, scope), info)),
    }),
  }),
});
