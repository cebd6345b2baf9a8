import { isRegistered, type Transport } from './service-names.ts';

/** The two ports of a flow. */
export type PortPair = { readonly source: number; readonly destination: number };

/** Transports by IANA's protocol number. */
const TRANSPORT_OF: ReadonlyMap<number, Transport> = new Map([
  [6, 'tcp'],
  [17, 'udp'],
  [132, 'sctp'],
]);

/**
 * Returns the port that names the service of a flow that is reported in one direction: the port
 * that IANA registers for the protocol, if exactly one of the two is registered, else the lower one
 * (operations, "Service port"). It depends only on the flow, so both directions of a conversation
 * have the same service port.
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
