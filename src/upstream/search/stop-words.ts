/** Words of questions and wishes that say nothing about which tool is meant. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been but by can could did do does for from had has have how i if in into is it
   its just let me my need of on onto or our out please should so some that the their them then there these they this
   those to up us want was we were what when where which who whom why will with within would you your all also
   using use via given based tool tools one ones every each both than too very here im id ill whats hows lets
   like such gonna really actually maybe`.split(/\s+/),
);
