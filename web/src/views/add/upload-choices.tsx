import {
  LOCAL_TIME_FORMATS,
  UPLOAD_FORMATS,
  type UploadFormat,
} from '../../data/add/upload-format.ts';
import { viewerZone } from '../../format/moment.ts';
import { Choice } from '../../parts/choice.tsx';
import { TextField } from '../../parts/text-field.tsx';

/** How a file is read, as the user types it. */
export type UploadTexts = {
  readonly format: UploadFormat;
  readonly home: string;
  readonly timeZone: string;
  readonly skipsBadLines: boolean;
};

export const NO_UPLOAD_TEXTS: UploadTexts = {
  format: 'zeek',
  home: '',
  timeZone: '',
  skipsBadLines: false,
};

const FORMATS: Readonly<Record<UploadFormat, string>> = {
  zeek: 'Zeek: conn.log',
  nfdump: 'nfdump: CSV',
  goflow2: 'goflow2: JSON lines',
  pmacct: 'pmacct: JSON lines',
  samples: 'samples: readings as JSON lines',
};

type UploadChoicesProps = {
  readonly texts: UploadTexts;
  readonly onChange: (changed: Partial<UploadTexts>) => void;
};

/** The fields that say how a file is read. */
export const UploadChoices = ({ texts, onChange }: UploadChoicesProps) => (
  <>
    <Choice
      label="Format"
      value={texts.format}
      options={UPLOAD_FORMATS.map((value) => ({ value, label: FORMATS[value] }))}
      onChoose={(value) =>
        onChange({ format: UPLOAD_FORMATS.find((each) => each === value) ?? 'zeek' })
      }
    />
    {LOCAL_TIME_FORMATS.has(texts.format) && (
      <TextField
        label="Time zone of the file"
        placeholder="the one of the server"
        hint="It has local times, without their zone"
        known={[...new Set(['UTC', viewerZone()])]}
        value={texts.timeZone}
        onInput={(timeZone) => onChange({ timeZone })}
      />
    )}
    {texts.format !== 'samples' && (
      <TextField
        label="Home networks"
        placeholder="the private networks"
        hint="With commas between: 192.0.2.0/24, 2001:db8::/32"
        value={texts.home}
        onInput={(home) => onChange({ home })}
      />
    )}
    <label class="check">
      <input
        type="checkbox"
        checked={texts.skipsBadLines}
        onChange={({ currentTarget }) => onChange({ skipsBadLines: currentTarget.checked })}
      />
      Skip lines that cannot be read
    </label>
  </>
);
