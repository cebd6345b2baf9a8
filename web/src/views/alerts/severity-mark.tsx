import { urgencyOf } from '../../format/severity.ts';

/** The severity in the rule's own word, with a coloured mark. */
export const SeverityMark = ({ severity }: { readonly severity: string }) => (
  <span class={`status is-severity is-${urgencyOf(severity)}`}>{severity}</span>
);
