import type { StorageQuery } from '../../../generated/operations.ts';
import type { ViewProps } from '../view-props.ts';

export type SliceRow = NonNullable<NonNullable<StorageQuery['context']>['slices']>[number];

/** Stored bytes are told in bytes, whatever traffic is told in. */
export const STORED = ({ address }: Pick<ViewProps, 'address'>) =>
  ({ ...address.units, amounts: 'bytes' }) as const;
