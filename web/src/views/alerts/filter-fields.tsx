import type { FilterTexts } from '../../data/alerts/rule-texts.ts';
import { groupOf } from '../../data/choices.ts';
import { hasNetworks } from '../../data/networks.ts';
import { TextField } from '../../parts/text-field.tsx';
import type { RuleFieldsProps } from './alerts-props.ts';

/** Which keys count; all, if every field is empty. */
export function FilterFields({ texts, choice, faults, onChange }: RuleFieldsProps) {
  const { filter } = texts;
  const field = (name: keyof FilterTexts) => ({
    value: filter[name],
    onInput: (value: string) => onChange({ filter: { ...filter, [name]: value } }),
    fault: faults.get(name) ?? null,
  });
  const isMore = filter.excludeKeys !== '' || filter.match !== '' || filter.exclude !== '';
  return (
    <fieldset>
      <legend>Which keys count</legend>
      {hasNetworks(groupOf(choice, texts.group)) && (
        <div class="rule-row">
          <TextField
            label="Only in networks"
            placeholder="10.0.0.0/8, 2001:db8::/32"
            {...field('cidr')}
          />
          <TextField label="But not in" placeholder="10.1.0.0/16" {...field('excludeCidr')} />
        </div>
      )}
      <div class="rule-row">
        <TextField label="Only these keys" {...field('keys')} />
        <TextField label="Name contains" {...field('search')} />
      </div>
      <details open={isMore}>
        <summary>More</summary>
        <TextField label="All but these keys" {...field('excludeKeys')} />
        <div class="rule-row">
          <TextField label="Raw key matches (RE2)" {...field('match')} />
          <TextField label="Raw key does not match (RE2)" {...field('exclude')} />
        </div>
      </details>
      <p class="hint">
        Separate several networks or keys by commas. Where all fields are empty, all keys count.
      </p>
    </fieldset>
  );
}
