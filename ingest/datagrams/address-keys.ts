import { addressKey, type KeyText } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Reads addresses within datagrams as raw keys. It keeps those it has read: most repeat. */
export type AddressKeys = {
  readonly ipv4: (bytes: Buffer, offset: number) => KeyText;
  readonly ipv6: (bytes: Buffer, offset: number) => KeyText;
};

export function createAddressKeys(): AddressKeys {
  const ofIpv4 = new Map<number, KeyText>();
  const ofIpv6 = new Map<string, KeyText>();
  return {
    ipv4(bytes, offset) {
      const number = bytes.readInt32BE(offset);
      return ofIpv4.get(number) ?? remember(ofIpv4, number, keyAt(bytes, offset, 4));
    },
    ipv6(bytes, offset) {
      const text = bytes.toString('latin1', offset, offset + 16);
      return ofIpv6.get(text) ?? remember(ofIpv6, text, keyAt(bytes, offset, 16));
    },
  };
}

const keyAt = (bytes: Buffer, offset: number, length: number): KeyText =>
  addressKey([...bytes.subarray(offset, offset + length)]);

/** Drops all keys when they are too many, as `boundedCache` does. */
function remember<Id>(keys: Map<Id, KeyText>, id: Id, key: KeyText): KeyText {
  if (keys.size >= LIMITS.importKnownAddresses) keys.clear();
  keys.set(id, key);
  return key;
}
