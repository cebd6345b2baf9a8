import { isRegistered, type Transport } from './service-names.ts';

/** The two ports that a flow tells. */
export type PortPair = { readonly source: number; readonly destination: number };

/** By IANA's number of the protocol. */
const TRANSPORT_OF: ReadonlyMap<number, Transport> = new Map([
  [6, 'tcp'],
  [17, 'udp'],
  [132, 'sctp'],
]);

/**
 * The port that names the service of a flow told in one direction: of the two ports the one that
 * IANA registers for the protocol, if exactly one is; otherwise the lower (operations, "Service
 * port"). It depends on nothing but the flow, so both directions of a conversation have the same.
 */
export function servicePort(protocol: number, { source, destination }: PortPair): number {
  const transport = TRANSPORT_OF.get(protocol);
  if (transport !== undefined) {
    const sourceIsRegistered = isRegistered(source, transport);
    if (sourceIsRegistered !== isRegistered(destination, transport)) {
      return sourceIsRegistered ? source : destination;
    }
  }
  return Math.min(source, destination);
}
