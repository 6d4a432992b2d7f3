import { useAgent } from './agent-filter.tsx';
import { addCountryCode, findNumberCode, findZoneCode } from './country-codes.ts';
import { useTimeZone } from './values.tsx';

/** Returns how numbers are read that people type: with the country code of the chosen agent's number, or of the page's time zone. */
export const useTypedNumber = (agentId: string | undefined): ((text: string) => string) => {
  const timeZone = useTimeZone();
  const number = useAgent(agentId ?? '')?.phoneNumber;
  return (text) => addCountryCode(text, (number && findNumberCode(number)) ?? findZoneCode(timeZone));
};
