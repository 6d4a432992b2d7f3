import { useState } from 'react';
import type { NewConsent } from '../../../openapi/client/client.ts';
import { FormDialog } from '../components/dialog.tsx';
import { Choice, LastDayField, TextField, useEndOfDay } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Picker } from '../components/picker.tsx';
import { useTimeZone } from '../components/values.tsx';
import { toInstant } from '../formats.ts';
import { useChange } from '../service.tsx';
import { channels } from './channels.ts';

type Props = { number: string; state: NewConsent['state']; purposes: string[]; onClose(): void };

const allPurposes = { value: '*', label: 'All purposes' };
type Channel = NonNullable<NewConsent['proof']>['channel'];
const channelOptions = [
  { value: '', label: 'No proof' },
  ...Object.entries(channels).map(([value, label]) => ({ value, label })),
];

/** Records that a person consents to a purpose, or revokes it, with what proves it. */
export const ConsentDialog = ({ number, state, purposes, onClose }: Props) => {
  const isGiven = state === 'given';
  const timeZone = useTimeZone();
  const endOf = useEndOfDay();
  const [purpose, setPurpose] = useState(isGiven ? (purposes[0] ?? '') : allPurposes.value);
  const [channel, setChannel] = useState('');
  const known = purposes.map((value) => ({ value, label: value }));
  const recording = useChange(
    (api, options, { at, expiresAt, seller, text, url, callId }: Texts) => {
      const proof = channel
        ? { channel: channel as Channel, text: text || undefined, url: url || undefined, callId: callId || undefined }
        : undefined;
      const said = { at: at ? toInstant(at, timeZone) : undefined, expiresAt: endOf(expiresAt) };
      const consent = { number, purpose, state, ...said, seller: seller || undefined, proof };
      return api.consents.record({ consents: [consent] }, options);
    },
    {
      changes: [['numbers']],
      done({ failed }) {
        if (failed.length > 0) return 'Nothing is recorded.';
        return isGiven ? 'The consent is recorded.' : 'The revocation is recorded.';
      },
    },
  );
  const [failure] = recording.data?.failed ?? [];
  return (
    <FormDialog
      title={isGiven ? `Record a consent of ${number}` : `Revoke for ${number}`}
      change={recording}
      submit={isGiven ? 'Record the consent' : 'Revoke'}
      pending="Recording …"
      isDisabled={purpose === ''}
      onDone={({ failed }) => failed.length === 0 && onClose()}
      onClose={onClose}
    >
      <Picker
        label="Purpose"
        name="purpose"
        note={
          isGiven
            ? 'What the person may be called for: small letters, digits and _.'
            : 'It counts from the next call on.'
        }
        isFree
        options={isGiven ? known : [allPurposes, ...known]}
        value={purpose}
        onChange={setPurpose}
      />
      <TextField
        label="Said at"
        name="at"
        type="datetime-local"
        note={`If empty, the current time. Time zone: ${timeZone.replaceAll('_', ' ')}.`}
      />
      {isGiven && <LastDayField note="Without it, the consent does not end." />}
      {isGiven && (
        <TextField label="On behalf of" name="seller" note="The seller, if there are several." maxLength={128} />
      )}
      <Choice label="Proof" options={channelOptions} value={channel} onChange={setChannel} />
      {channel && (
        <>
          <TextField label="What was said or shown" name="text" maxLength={2000} />
          <TextField label="Page" name="url" type="url" placeholder="https://www.example.com/offers" />
          <TextField label="Call ID" name="callId" autoComplete="off" spellCheck="false" />
        </>
      )}
      {failure && (
        <p className="problem" role="alert">
          {failure.message ?? failure.reason}
        </p>
      )}
    </FormDialog>
  );
};
