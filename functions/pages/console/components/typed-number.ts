import { readPhoneNumber } from '../../../domain/read-phone-number.ts';
import { useAgent } from './agent-filter.tsx';
import { addCountryCode, findNumberCode, findZoneCode } from './country-codes.ts';
import { useTimeZone } from './values.tsx';

/** Returns how numbers are read that people type, in E.164 format if they are numbers: with the country code of the chosen agent's number, or of the page's time zone. */
export const useTypedNumber = (agentId: string | undefined): ((text: string) => string) => {
  const timeZone = useTimeZone();
  const number = useAgent(agentId ?? '')?.phoneNumber;
  return (text) => {
    const typed = addCountryCode(text, () => (number && findNumberCode(number)) ?? findZoneCode(timeZone));
    return readPhoneNumber(typed).number ?? typed;
  };
};
