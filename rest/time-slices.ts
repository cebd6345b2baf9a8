import { haSlaveMode, probeIdOf, totalWindow } from '../resolvers/contexts.ts';
import { listPools, type PoolView } from '../resolvers/pools.ts';
import { listSlices, type SliceView, sliceSize } from '../resolvers/slices.ts';
import { type CommonOptions, decodeCommon } from './decode-common.ts';
import type { Endpoint } from './endpoint.ts';
import { jsonInteger } from './write-json.ts';

type TimeSlicesOptions = CommonOptions & {
  readonly diskUsage: boolean;
  readonly allEngines: boolean;
  readonly totalWindow: boolean;
};

export const timeSlices: Endpoint<TimeSlicesOptions> = {
  path: '/api/time_slices/time_slices_request',
  timeout: () => ({ absent: 60, minusOne: null }),
  decode: (parameters) => ({
    ...decodeCommon(parameters),
    diskUsage: parameters.boolean('get_disk_usage', false),
    allEngines: parameters.boolean('get_all_engines', false),
    totalWindow: parameters.boolean('get_total_window', false),
  }),
  async answer(scope, at, options) {
    await probeIdOf(at, options.probe);
    const [slaveMode, slices, pools, window] = await Promise.all([
      haSlaveMode(at),
      listSlices(scope, at, { allEngines: options.allEngines, within: null }),
      options.diskUsage ? listPools(at) : [],
      options.totalWindow ? totalWindow(at) : null,
    ]);
    return {
      context_name: at.name,
      ha_slave_mode: slaveMode,
      total_window: window,
      slices: await Promise.all(
        slices.map(async (slice) =>
          renderSlice(slice, options.diskUsage ? await sliceSize(slice) : null),
        ),
      ),
      pools: pools.map(renderPool),
    };
  },
};

const renderSlice = (slice: SliceView, diskSize: bigint | null) => ({
  time_interval: slice.timeInterval,
  name: slice.name,
  status: slice.status,
  ...(diskSize !== null && { disk_size: jsonInteger(diskSize) }),
  ...(slice.path !== null && { path: slice.path }),
  available: slice.available,
  tags: slice.tags,
  id: slice.sliceId,
});

const renderPool = (pool: PoolView) => ({
  status: pool.status,
  ...(pool.totalSize !== null && { total_size: jsonInteger(pool.totalSize) }),
  ...(pool.availSize !== null && { avail_size: jsonInteger(pool.availSize) }),
  ...(pool.fileSystem !== null && { file_system: pool.fileSystem }),
  ...(pool.mounted !== null && { mounted: pool.mounted }),
  offline_archive: pool.offlineArchive,
  offline_archive_mounted: pool.offlineArchiveMounted,
  ...(pool.additionalInfo !== null && { additional_info: pool.additionalInfo }),
});
