import { jsonInteger } from '../../domain/text/write-json.ts';
import { probeIdOf, totalWindow } from '../../resolvers/contexts.ts';
import { listPools, type PoolView } from '../../resolvers/pools.ts';
import { listSlices, type SliceView, sliceSize } from '../../resolvers/slices.ts';
import type { Endpoint } from '../endpoint.ts';
import { jsonAnswer } from '../json-answer.ts';
import { refTo } from '../json-schema.ts';
import { type CommonOptions, decodeCommon } from '../parameters/decode-common.ts';
import { booleanParameter } from '../parameters/parameter.ts';
import { timeSlicesSchemas } from './time-slices-schema.ts';

type TimeSlicesOptions = CommonOptions & {
  readonly diskUsage: boolean;
  readonly allEngines: boolean;
  readonly totalWindow: boolean;
};

const DISK_USAGE = booleanParameter(
  {
    name: 'get_disk_usage',
    meaning: 'whether slices have `disk_size`, measured now, and `pools` is filled',
    example: true,
  },
  false,
);

const ALL_ENGINES = booleanParameter(
  {
    name: 'get_all_engines',
    meaning: 'whether the slices of all engine instances are listed, not only those of 0',
    example: true,
  },
  false,
);

const TOTAL_WINDOW = booleanParameter(
  { name: 'get_total_window', meaning: 'whether `total_window` is filled', example: true },
  false,
);

export const timeSlices: Endpoint<TimeSlicesOptions> = {
  path: '/api/time_slices/time_slices_request',
  operation: 'timeSlices',
  title: 'Time slices',
  tag: {
    name: 'Time slices',
    description: 'The times for which data is available, and where it is stored.',
  },
  description: 'The available data: slices, pools, the whole window.',
  timeout: () => ({ absent: 60, minusOne: null }),
  parameters: () => [DISK_USAGE, ALL_ENGINES, TOTAL_WINDOW],
  errors: [],
  answers: { 'application/json': refTo('TimeSlices') },
  schemas: timeSlicesSchemas,
  listsSlices: true,
  decode: (parameters) => ({
    ...decodeCommon(parameters),
    diskUsage: DISK_USAGE.read(parameters),
    allEngines: ALL_ENGINES.read(parameters),
    totalWindow: TOTAL_WINDOW.read(parameters),
  }),
  async answer(scope, at, options) {
    await probeIdOf(at, options.probe);
    const [{ isStandby, slices }, pools, window] = await Promise.all([
      listSlices(scope, at, { allEngines: options.allEngines, within: null }),
      options.diskUsage ? listPools(at) : [],
      options.totalWindow ? totalWindow(at) : null,
    ]);
    return jsonAnswer(200, {
      context_name: at.name,
      ha_slave_mode: isStandby,
      total_window: window,
      slices: await Promise.all(
        slices.map(async (slice) =>
          renderSlice(slice, options.diskUsage ? await sliceSize(slice) : null),
        ),
      ),
      pools: pools.map(renderPool),
    });
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
