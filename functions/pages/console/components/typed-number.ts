import { readPhoneNumber } from '../../../domain/read-phone-number.ts';
import { useAgentChoices } from './agent-filter.tsx';
import { addCountryCode, findNumberCode, findZoneCode } from './country-codes.ts';
import { useTimeZone } from './values.tsx';

/**
 * Returns how numbers are read that people type, in E.164 format if they are numbers: with the country code of the chosen agent's
 * number, or of the page's time zone. In UTC, which is of no country, it is that of the first agent with a number.
 */
export const useTypedNumber = (agentId: string | undefined): ((text: string) => string) => {
  const timeZone = useTimeZone();
  const agents = useAgentChoices().data ?? [];
  const findCode = (number: string | undefined) => number && findNumberCode(number);
  const chosen = agents.find((agent) => agent.agentId === agentId)?.phoneNumber;
  const first = agents.find(({ phoneNumber }) => phoneNumber)?.phoneNumber;
  return (text) => {
    const typed = addCountryCode(text, () => findCode(chosen) ?? findZoneCode(timeZone) ?? findCode(first));
    return readPhoneNumber(typed).number ?? typed;
  };
};
