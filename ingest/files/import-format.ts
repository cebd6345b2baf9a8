import { FLOW_FORMATS } from '../formats/flow-formats.ts';

export const IMPORT_FORMATS = ['samples', ...FLOW_FORMATS] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];
