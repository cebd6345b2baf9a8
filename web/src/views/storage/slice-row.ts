import type { StorageQuery } from '../../../generated/operations.ts';
import type { ViewProps } from '../view-props.ts';

export type SliceRow = NonNullable<NonNullable<StorageQuery['context']>['slices']>[number];

/** Units of stored bytes: always bytes, whatever the units of traffic are. */
export const STORED = ({ address }: Pick<ViewProps, 'address'>) =>
  ({ ...address.units, amounts: 'bytes' }) as const;
