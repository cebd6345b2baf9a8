import { probeIdOf } from '../../resolvers/contexts.ts';
import {
  availableInterval,
  type CounterGroupView,
  listGroups,
  listMeters,
  type MeterView,
} from '../../resolvers/counter-groups.ts';
import type { Endpoint } from '../endpoint.ts';
import { jsonAnswer } from '../json-answer.ts';
import { refTo } from '../json-schema.ts';
import { type CommonOptions, decodeCommon } from '../parameters/decode-common.ts';
import { booleanParameter, textParameter } from '../parameters/parameter.ts';
import { counterGroupInfoSchemas } from './counter-group-info-schema.ts';
import { existingGroup } from './existing-group.ts';

type CounterGroupInfoOptions = CommonOptions & {
  readonly counterGroup: string | null;
  readonly meterInfo: boolean;
};

const COUNTER_GROUP = textParameter({
  name: 'counter_group',
  form: 'GUID',
  meaning: 'only this group; left out: all enabled groups',
  example: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}',
});

const METER_INFO = booleanParameter(
  { name: 'get_meter_info', meaning: 'whether groups have their `meters`', example: true },
  false,
);

export const counterGroupInfo: Endpoint<CounterGroupInfoOptions> = {
  path: '/api/counter_group_info/counter_group_info_request',
  operation: 'counterGroupInfo',
  title: 'Counter group info',
  tag: { name: 'Counter groups', description: 'What is counted, and by which meters.' },
  description: 'Which counter groups and meters there are.',
  timeout: () => ({ absent: null, minusOne: null }),
  parameters: () => [COUNTER_GROUP, METER_INFO],
  errors: ['invalidCounterGroup'],
  answers: { 'application/json': refTo('CounterGroupInfo') },
  schemas: counterGroupInfoSchemas,
  decode: (parameters) => ({
    ...decodeCommon(parameters),
    counterGroup: COUNTER_GROUP.read(parameters),
    meterInfo: METER_INFO.read(parameters),
  }),
  async answer(_scope, at, { counterGroup, meterInfo, probe }) {
    const groups =
      counterGroup === null ? await listGroups(at) : [await existingGroup(at, counterGroup)];
    const probeId = await probeIdOf(at, probe);
    return jsonAnswer(200, {
      group_details: await Promise.all(
        groups.map((group) => renderGroup(group, { probeId, meterInfo })),
      ),
    });
  },
};

async function renderGroup(
  group: CounterGroupView,
  { probeId, meterInfo }: { probeId: number | null; meterInfo: boolean },
) {
  const [interval, meters] = await Promise.all([
    availableInterval(group, probeId),
    meterInfo ? listMeters(group) : null,
  ]);
  const { row, guid } = group;
  return {
    guid,
    name: row.name,
    bucket_size: row.bucketSize,
    topper_bucket_size: row.topperBucketSize,
    ...(interval && { time_interval: interval }),
    ...(meters && { meters: meters.map(renderMeter) }),
    ...renderCrosskey(group),
  };
}

const renderMeter = ({ row }: MeterView) => ({
  id: row.meterId,
  type: row.type,
  topcount: row.topcount,
  name: row.name,
  description: row.description,
  units: row.units,
});

function renderCrosskey({ crosskey }: CounterGroupView) {
  if (!crosskey) return {};
  const [parentguid, crosskeyguid_1, crosskeyguid_2] = crosskey.guids;
  return {
    crosskey: { parentguid, crosskeyguid_1, ...(crosskeyguid_2 && { crosskeyguid_2 }) },
  };
}
