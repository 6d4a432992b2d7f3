import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { ownApiOfChat } from '../clients/own-api.ts';
import { chatSigningSecret } from '../clients/secrets.ts';
import { environment } from '../environment.ts';
import { duringInitialization } from '../http/during-initialization.ts';
import { chatTurnsKey } from '../store/keys.ts';
import { table } from '../store/table.ts';
import { readHistory } from './history.ts';
import { Signatures } from './signatures.ts';
import { streamAnswer } from './stream/stream-answer.ts';
import { systemPrompt } from './system-prompt.ts';
import { TokenMeter } from './token-meter.ts';
import { allowedToolNames, buildTools, describeAccess } from './tools.ts';
import { Turn } from './turn.ts';

/** Warms up what the first turn needs: the table, the signing secret, and a turn up to the connection to the model. */
export const warmUp = (): Promise<void> =>
  duringInitialization(
    () => table.get().get(chatTurnsKey('warm-up', 0)),
    () => chatSigningSecret.get().read(),
    turnWithoutModel,
  );

/** Runs a turn whose request to the model is an empty GET: it opens a connection, costs no tokens, and is rejected. */
const turnWithoutModel = async () => {
  const fetchNothing = (url: string | URL | Request) => fetch(new URL('/', url as string));
  const model = createAmazonBedrock({ fetch: fetchNothing as typeof fetch })(environment.chatModelId);
  const signatures = new Signatures('nothing is signed', 'warm-up');
  const messages = [{ id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello.' }] }];
  const history = readHistory(messages, { signatures, uid: undefined, toolNames: allowedToolNames(undefined) });
  const noUser = { principal: undefined, apiKey: undefined, requestId: 'warm-up' };
  const tools = buildTools({ api: ownApiOfChat.get(), ...noUser, approvals: history.approvals });
  const meter = new TokenMeter({ isAnonymous: true, reserve: async () => undefined, settle: async () => {} });
  const instructions = systemPrompt(describeAccess(undefined));
  const turn = new Turn({ model, instructions, history, tools, signatures, uid: undefined, meter });
  await streamAnswer({
    receivedAt: performance.now(),
    start: (signal) => turn.start(signal),
    toChunk: (part) => turn.toChunk(part),
    onEnd: async () => {},
  });
};
