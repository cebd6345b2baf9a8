import { useState } from 'preact/hooks';
import { atPort, linesFor, ROUTERS } from '../../data/add/router-lines.ts';
import { Choice } from '../../parts/choice.tsx';
import { commandText } from '../../parts/command.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { CopiedText } from './copied-text.tsx';

type CollectCardProps = { readonly context: string; readonly username: string };

/** How to let a router send its flows, and what has to run for that. */
export function CollectCard({ context, username }: CollectCardProps) {
  const [name, setName] = useState(ROUTERS[0]?.name ?? '');
  const router = ROUTERS.find((each) => each.name === name);
  const [typed, setTyped] = useState(hostOfPage);
  const host = typed.trim() || 'HOST';
  return (
    <section class="card add-card" aria-labelledby="add-collect">
      <div class="card-head">
        <h2 id="add-collect">From a router, switch or firewall</h2>
      </div>
      <div class="add-body">
        <p>
          Run this where the server runs. It listens for NetFlow, IPFIX and sFlow until it is
          stopped:
        </p>
        <CopiedText
          name="the command"
          text={commandText(
            `collect --context ${shellWord(context)} --grant ${shellWord(username)}`,
          )}
        />
        <TextField
          label="Address of the server, as routers reach it"
          value={typed}
          onInput={setTyped}
          placeholder="192.0.2.1"
          hint="It is filled in below."
        />
        <p>
          Then send NetFlow or IPFIX to <code>{atPort(host, 2055)}</code>, or sFlow to{' '}
          <code>{atPort(host, 6343)}</code>, by UDP.
        </p>
        <Choice
          label="Lines for"
          value={name}
          options={ROUTERS.map((each) => ({ value: each.name, label: each.name }))}
          onChoose={setName}
        />
        {router && <CopiedText name={`the lines for ${name}`} text={linesFor(router, host)} />}
        <p class="hint">
          The first flows are counted about two minutes after they have passed. Let the firewall of
          the server's machine pass UDP to these ports.
        </p>
      </div>
    </section>
  );
}

/** Routers reach the server where this browser does, unless that is the same machine. */
const hostOfPage = (): string =>
  /^(localhost|127\.|\[::1\])/.test(location.hostname)
    ? ''
    : location.hostname.replace(/^\[(.*)\]$/, '$1');

/** Quotes a word of a shell command, if it needs that. */
const shellWord = (word: string): string =>
  /^[\w.@%+:,/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
