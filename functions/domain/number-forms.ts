/** Mobile numbers that are in use in two forms: the place where these differ, and the digits there today and in the other form. */
const plans: [place: RegExp, current: string, other: string][] = [
  // Mexico dropped the 1 in 2019.
  [/(?<=^\+52)1?(?=[2-9]\d{9}$)/, '', '1'],
  // Argentina dials the 9 only from abroad, and many calls and lists lack it.
  [/(?<=^\+54)9?(?=[1-3]\d{9}$)/, '9', ''],
  // Brazil added the 9 until 2016, Benin the 01 in 2024. WhatsApp keeps the numbers of earlier accounts.
  [/(?<=^\+55[1-9]\d)9?(?=[6-9]\d{7}$)/, '9', ''],
  [/(?<=^\+229)(?:01)?(?=[2-9]\d{7}$)/, '01', ''],
];

/** Returns the forms in which platforms and lists write a number, today's form first. */
export const listForms = (number: string): [string, ...string[]] => {
  for (const [place, current, other] of plans)
    if (place.test(number)) return [number.replace(place, current), number.replace(place, other)];
  return [number];
};

/** Returns the same form for all forms of a number, so that a person is counted once. */
export const chooseForm = (number: string): string => listForms(number)[0];
