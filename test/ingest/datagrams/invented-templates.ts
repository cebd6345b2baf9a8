import fc from 'fast-check';
import {
  NOW_MS,
  NOW_S,
  type TemplateProtocol,
  UPTIME_MS,
  type WrittenRecord,
} from './sent-sets.ts';
import type { WrittenValue } from './write-templates.ts';

/** A flow as a test invents it, and as it must be read. */
export type InventedFlow = {
  readonly isIpv6: boolean;
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly protocol: number;
  readonly bytes: bigint;
  readonly packets: bigint;
  /** Whole seconds before the datagram, so that all fields can say it exactly. */
  readonly startedAgoS: number;
  readonly lastedS: number;
};

const address = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

const flowOfFamily = (isIpv6: boolean): fc.Arbitrary<InventedFlow> =>
  fc
    .record({
      source: address(isIpv6 ? 16 : 4),
      destination: address(isIpv6 ? 16 : 4),
      sourcePort: fc.nat(65_535),
      destinationPort: fc.nat(65_535),
      protocol: fc.oneof(fc.constantFrom(6, 17, 132, 1, 58), fc.nat(255)),
      bytes: fc.bigInt(0n, 2n ** 62n),
      packets: fc.bigInt(0n, 2n ** 31n),
      startedAgoS: fc.nat(86_400),
    })
    .chain((flow) => fc.nat(flow.startedAgoS).map((lastedS) => ({ ...flow, isIpv6, lastedS })));

/** How a template says something of its flows: fields, and their values for a flow. */
type Part = {
  readonly fields: readonly (readonly [id: number, length: number, enterprise?: number])[];
  readonly values: (flow: InventedFlow) => readonly WrittenValue[];
};

const constantPart = (
  fields: Part['fields'],
  values: (flow: InventedFlow) => readonly WrittenValue[],
): fc.Arbitrary<Part> => fc.constant({ fields, values });

/** A number in a field of any length that holds it, at least. */
const numberPart = (
  id: number,
  atLeast: number,
  of: (flow: InventedFlow) => number | bigint,
): fc.Arbitrary<Part> =>
  fc
    .integer({ min: atLeast, max: 8 })
    .map((length) => ({ fields: [[id, length]], values: (flow) => [of(flow)] }));

const ntpOf = (seconds: number): bigint => BigInt(seconds + 2_208_988_800) << 32n;

const startS = ({ startedAgoS }: InventedFlow): number => NOW_S - startedAgoS;
const endS = (flow: InventedFlow): number => startS(flow) + flow.lastedS;

const timeParts = (protocol: TemplateProtocol): fc.Arbitrary<readonly Part[]> =>
  fc.oneof(
    fc.tuple(numberPart(150, 4, startS), numberPart(151, 4, endS)),
    fc.tuple(
      numberPart(152, 6, (flow) => startS(flow) * 1000),
      numberPart(153, 6, (flow) => endS(flow) * 1000),
    ),
    fc.tuple(
      constantPart([[154, 8]], (flow) => [ntpOf(startS(flow))]),
      constantPart([[155, 8]], (flow) => [ntpOf(endS(flow))]),
    ),
    fc.tuple(
      constantPart([[156, 8]], (flow) => [ntpOf(startS(flow))]),
      numberPart(161, 4, ({ lastedS }) => lastedS * 1000),
    ),
    fc.tuple(
      numberPart(158, 5, ({ startedAgoS }) => startedAgoS * 1e6),
      numberPart(159, 5, (flow) => (flow.startedAgoS - flow.lastedS) * 1e6),
    ),
    fc.tuple(
      numberPart(22, 4, (flow) => UPTIME_MS - flow.startedAgoS * 1000),
      numberPart(21, 4, (flow) => UPTIME_MS - (flow.startedAgoS - flow.lastedS) * 1000),
      ...(protocol === 'ipfix' ? [numberPart(160, 6, () => NOW_MS - UPTIME_MS)] : []),
    ),
  );

/** Fields that mean nothing here, with any content. */
function otherPart(protocol: TemplateProtocol): fc.Arbitrary<Part> {
  const ids = fc.constantFrom(
    5,
    6,
    9,
    10,
    13,
    14,
    15,
    16,
    17,
    61,
    62,
    70,
    136,
    225,
    227,
    400,
    9999,
  );
  const fixed = fc
    .tuple(ids, fc.uint8Array({ maxLength: 20 }))
    .map(
      ([id, value]): Part => ({ fields: [[id, value.length]], values: () => [Buffer.from(value)] }),
    );
  if (protocol === 'netflow9') return fixed;
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.uint8Array({ minLength: 250, maxLength: 260 }),
  );
  const variable = fc
    .tuple(fc.nat(32_767), content)
    .map(
      ([id, value]): Part => ({ fields: [[id, 65_535, 9]], values: () => [Buffer.from(value)] }),
    );
  // The elements of an enterprise have nothing to do with those that have the same number.
  const enterprise = fc
    .tuple(fc.constantFrom(1, 2, 4, 7, 8, 34, 48), fc.constantFrom(9, 6871, 35_632))
    .map(([id, number]): Part => ({ fields: [[id, 4, number]], values: () => [12_345] }));
  return fc.oneof(fixed, variable, enterprise);
}

/** A template as an exporter might invent it: any order, lengths and fields. */
export type InventedTemplate = { readonly recordOf: (flow: InventedFlow) => WrittenRecord };

function templateFor(protocol: TemplateProtocol, isIpv6: boolean): fc.Arbitrary<InventedTemplate> {
  const length = isIpv6 ? 16 : 4;
  const ends = fc.tuple(
    constantPart([[isIpv6 ? 27 : 8, length]], ({ source }) => [Buffer.from(source)]),
    constantPart([[isIpv6 ? 28 : 12, length]], ({ destination }) => [Buffer.from(destination)]),
    numberPart(7, 2, ({ sourcePort }) => sourcePort),
    numberPart(11, 2, ({ destinationPort }) => destinationPort),
    numberPart(4, 1, (flow) => flow.protocol),
  );
  const amounts = fc.tuple(
    fc.constantFrom(1, 23, 85).chain((id) => numberPart(id, 8, ({ bytes }) => bytes)),
    fc.constantFrom(2, 24, 86).chain((id) => numberPart(id, 4, ({ packets }) => packets)),
  );
  const others = fc.array(otherPart(protocol), { maxLength: 6 });
  return fc
    .tuple(ends, amounts, timeParts(protocol), others)
    .map((parts) => parts.flat())
    .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }))
    .map((parts) => ({ recordOf: (flow) => parts.flatMap((part) => fieldsIn(part, flow)) }));
}

const fieldsIn = ({ fields, values }: Part, flow: InventedFlow): WrittenRecord => {
  const given = values(flow);
  return fields.map(([id, length, enterprise], i) => {
    const value = given[i] ?? 0;
    return enterprise === undefined ? [id, length, value] : [id, length, value, enterprise];
  });
};

/** A template and flows that it can say. */
export type InventedData = {
  readonly template: InventedTemplate;
  readonly flows: readonly InventedFlow[];
};

export const inventedData = (protocol: TemplateProtocol): fc.Arbitrary<InventedData> =>
  fc.boolean().chain((isIpv6) =>
    fc.record({
      template: templateFor(protocol, isIpv6),
      flows: fc.array(flowOfFamily(isIpv6), { minLength: 1, maxLength: 5 }),
    }),
  );
