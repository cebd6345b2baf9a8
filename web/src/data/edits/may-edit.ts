import type { Address } from '../../address/address.ts';

type Asked = {
  readonly viewer: { readonly editableContexts: readonly { readonly name: string }[] };
} | null;

type Place = Pick<Address, 'context' | 'node' | 'fromDr'>;

/** Whether to offer changes: to editors, and where the primary answers, which takes them. */
export const mayEdit = (data: Asked, { context, node, fromDr }: Place): boolean =>
  node === null &&
  !fromDr &&
  (data?.viewer.editableContexts.some(({ name }) => name === context) ?? false);
