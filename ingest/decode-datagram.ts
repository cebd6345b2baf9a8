import { createAddressKeys } from './datagrams/address-keys.ts';
import type { Datagram, DatagramDecoder, DecodedDatagram } from './datagrams/datagram.ts';
import { GatheredFlows } from './datagrams/gathered-flows.ts';
import { decodeNetflow5 } from './datagrams/netflow/netflow-5.ts';
import { createTemplateDecoder } from './datagrams/netflow/template-protocols.ts';
import { decodeSflow } from './datagrams/sflow/sflow-5.ts';

/** Returns a decoder that tells the protocols apart by how a datagram begins. */
export function createDatagramDecoder(): DatagramDecoder {
  const addresses = createAddressKeys();
  const templates = createTemplateDecoder(addresses);
  return {
    decode(datagram) {
      const { bytes } = datagram;
      const version = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
      switch (version) {
        case 5:
          return decodeNetflow5(datagram, addresses);
        case 9:
          return templates.decodeNetflow9(datagram);
        case 10:
          return templates.decodeIpfix(datagram);
        case 0:
          // The version of sFlow has 32 bits.
          return bytes.length >= 4 && bytes.readUInt16BE(2) === 5
            ? decodeSflow(datagram, addresses)
            : ofUnknownVersion(datagram);
        default:
          return ofUnknownVersion(datagram);
      }
    },
    expire: templates.expire,
    waitingOf: templates.waitingOf,
  };
}

function ofUnknownVersion({ receivedMs }: Datagram): DecodedDatagram {
  const gathered = new GatheredFlows(receivedMs);
  gathered.refuse('unknownVersion');
  return gathered.answer(null);
}
