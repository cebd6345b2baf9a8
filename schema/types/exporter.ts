import { lossesOf, protocolLabel, refusalsOf, sumOfCounts } from '../../domain/exporters.ts';
import { builder } from '../builder.ts';
import { ExporterLossRef, ExporterRef, ExporterRefusalRef } from '../refs.ts';

builder.objectType(ExporterRef, {
  description:
    'A router, switch or firewall that sends NetFlow, IPFIX or sFlow to a collector. Counts are sums since it was first heard.',
  fields: (t) => ({
    address: t.exposeString('address', {
      description: 'The address that its datagrams come from. Behind NAT, that of the gateway.',
    }),
    protocols: t.stringList({
      description:
        'The protocols that it was heard in: `NetFlow v5`, `NetFlow v9`, `IPFIX`, `sFlow`.',
      resolve: ({ protocols }) => protocols.map(protocolLabel),
    }),
    firstSeen: t.field({
      type: 'EpochSeconds',
      description: 'When it was first heard.',
      resolve: ({ firstSeen }) => Math.floor(firstSeen),
    }),
    lastSeen: t.field({
      type: 'EpochSeconds',
      description:
        "When it was last heard, as of the collector's last commit, which is some seconds ago while it runs.",
      resolve: ({ lastSeen }) => Math.floor(lastSeen),
    }),
    flows: t.field({
      type: 'BigInt',
      description: 'Flows that it reported and that were read. With sFlow, sampled packets.',
      resolve: ({ flows }) => flows,
    }),
    lost: t.field({
      type: 'BigInt',
      description:
        'What it sent and no collector received, by its sequence numbers: the sum of `losses`, whatever their units.',
      resolve: (exporter) => sumOfCounts(lossesOf(exporter)),
    }),
    losses: t.field({
      type: [ExporterLossRef],
      description: 'The same in each unit in which something was lost.',
      resolve: (exporter) => lossesOf(exporter),
    }),
    refused: t.field({
      type: 'BigInt',
      description:
        'Datagrams, or parts of them, that arrived and were refused: the sum of `refusals`.',
      resolve: ({ refused }) => sumOfCounts(refusalsOf(refused)),
    }),
    refusals: t.field({
      type: [ExporterRefusalRef],
      description: 'The same by reason, most first.',
      resolve: ({ refused }) => refusalsOf(refused),
    }),
    waitingForTemplate: t.exposeInt('waitingForTemplate', {
      description:
        'Datagrams of NetFlow v9 and IPFIX that wait for the template that says how to read them.',
    }),
    samplingRates: t.field({
      type: ['BigInt'],
      description:
        'The sampling rates in use: 1,000 means one packet of 1,000, by which flows are multiplied; 1 means not sampled.',
      resolve: ({ samplingRates }) => samplingRates,
    }),
    clockAheadSeconds: t.exposeFloat('clockAheadSeconds', {
      nullable: true,
      description:
        "How far its clock is ahead of the collector's, negative if it is behind; null: its datagrams do not say.",
    }),
    doubts: t.exposeStringList('doubts', {
      description:
        'What is doubtful about its sampling or its clock, in sentences; empty if nothing is.',
    }),
  }),
});

builder.objectType(ExporterLossRef, {
  description: 'What an exporter sent and no collector received, in one unit.',
  fields: (t) => ({
    unit: t.exposeString('unit', {
      description:
        'What the sequence numbers of its protocol count: `flows` (NetFlow v5, IPFIX), `packets` (NetFlow v9) or `datagrams` (sFlow).',
    }),
    count: t.field({
      type: 'BigInt',
      description: 'How many were lost.',
      resolve: ({ count }) => count,
    }),
  }),
});

builder.objectType(ExporterRefusalRef, {
  description: 'What of an exporter was refused for one reason.',
  fields: (t) => ({
    reason: t.exposeString('reason', {
      description: 'Why, in words: `shorter than it says`.',
    }),
    count: t.field({
      type: 'BigInt',
      description: 'How many datagrams, or parts of them.',
      resolve: ({ count }) => count,
    }),
  }),
});
