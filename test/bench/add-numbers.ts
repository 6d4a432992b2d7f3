import { addBlockedNumbers } from '../../functions/api/add-blocked-numbers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { freshNumbers } from './operations.ts';
import { usedSince } from './used.ts';
import { invoke } from './world.ts';

/** Blocks numbers by requests, one after the other, in a separate process, and prints its time and memory. */
const [uid = '', agentId = '', apiKey = '', count = ''] = process.argv.slice(2);
const requests = Math.ceil(Number(count) / limits.numbersPerRequest);
const perRequest = Number(count) / requests;
const used = usedSince();
for (let request = 0; request < requests; request++) {
  await invoke(addBlockedNumbers, { apiKey, body: { uid, agentId, numbers: freshNumbers(perRequest) } });
}
console.log(JSON.stringify(used()));
