import { Status, type Tone } from '../components/values.tsx';

/** The colors of the words that voice platforms and this service use. Any other word is a status, too. */
const tones: Record<string, Tone> = {
  completed: 'good',
  rejected: 'bad',
  failed: 'bad',
  busy: 'working',
  'no-answer': 'working',
  canceled: 'working',
};

export const CallStatus = ({ status }: { status: string }) => (
  <Status tone={tones[status.toLowerCase()] ?? 'off'} label={<bdi>{status}</bdi>} />
);
