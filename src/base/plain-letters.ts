/** Letters of other scripts and the Latin letters that they resemble, in pairs: Cyrillic, Greek, Armenian, small capitals. */
const pairs =
  "аaеeоoрpсcуyхxѕsіiјjԁdԛqԝwкkмmтtвbнhгrзeьbпn" +
  "αaβbεeηnιiκkνvοoρpτtυuχxωwγyσoςsϲcϳj" +
  "օoսuոnհhցgԍg" +
  "ıiȷjɑaɡgɩiʀrᴀaʙbᴄcᴅdᴇeɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpꜱsᴛtᴜuᴠvᴡwʏyᴢz";

const letters = Array.from(pairs);
const likeness: ReadonlyMap<string, string> = new Map(
  letters.flatMap((letter, index) => (index % 2 === 0 ? [[letter, letters[index + 1] ?? ""]] : [])),
);

/**
 * `text` as a person would read it: full-width and styled letters as plain ones, look-alikes of other scripts as those they
 * look like, small, without accents and without what is not seen. For comparing, not for showing.
 */
export function plainLetters(text: string): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, "");
  return Array.from(plain, (character) => likeness.get(character) ?? character).join("");
}
