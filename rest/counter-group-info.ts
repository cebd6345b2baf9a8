import { probeIdOf } from '../resolvers/contexts.ts';
import {
  availableInterval,
  type CounterGroupView,
  listGroups,
  listMeters,
  type MeterView,
} from '../resolvers/counter-groups.ts';
import { type CommonOptions, decodeCommon } from './decode-common.ts';
import type { Endpoint } from './endpoint.ts';
import { existingGroup } from './existing-group.ts';

type CounterGroupInfoOptions = CommonOptions & {
  readonly counterGroup: string | null;
  readonly meterInfo: boolean;
};

export const counterGroupInfo: Endpoint<CounterGroupInfoOptions> = {
  path: '/api/counter_group_info/counter_group_info_request',
  timeout: () => ({ absent: null, minusOne: null }),
  decode: (parameters) => ({
    ...decodeCommon(parameters),
    counterGroup: parameters.text('counter_group'),
    meterInfo: parameters.boolean('get_meter_info', false),
  }),
  async answer(_scope, at, { counterGroup, meterInfo, probe }) {
    const groups =
      counterGroup === null ? await listGroups(at) : [await existingGroup(at, counterGroup)];
    const probeId = await probeIdOf(at, probe);
    return {
      group_details: await Promise.all(
        groups.map((group) => renderGroup(group, { probeId, meterInfo })),
      ),
    };
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
    bucket_size: row.bucket_size,
    topper_bucket_size: row.topper_bucket_size,
    ...(interval && { time_interval: interval }),
    ...(meters && { meters: meters.map(renderMeter) }),
    ...renderCrosskey(group),
  };
}

const renderMeter = ({ row }: MeterView) => ({
  id: row.meter_id,
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
