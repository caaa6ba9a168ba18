/** How each game goes, in short, and what the signs of its picture say, in German. */

/** @type {Record<string, import("./help.en.js").Help>} */
export default {
  "giganten": {
    aim: "Erobere das Nest des Gegners. Zu viert spielen zwei gegen zwei, und beide Nester müssen fallen.",
    play: [
      "Zuerst legt jeder, ungesehen von den anderen, die gezogenen Tafeln; dann stellt er seine Figuren auf den sechs Reihen am eigenen Rand auf: Nest und Blitz an Land, das Nest in keine Ecke.",
      "Wer am Zug ist, zieht eine Figur um ein Feld, nie schräg, auf ein leeres Feld. Danach darf sie einen Gegner fordern, der gerade neben ihr steht.",
      "Es zählt der Boden unter der geforderten Figur: an Land die grünen Zahlen, im Sumpf die orangen. Die höhere Zahl gewinnt, der Verlierer geht. Bei gleichen Zahlen bleiben zwei von einer Art stehen, andere gehen beide.",
      "Ein Flug darf auch weit fliegen, gerade oder schräg über leere Felder, wenn er neben einem Gegner landet und ihn fordert. Stego schlägt Flug; gegen jeden anderen Dinosaurier endet sein Kampf unentschieden.",
      "Blitz geht nie vorwärts und nie in den Sumpf; wer ihn fordert, scheidet aus. Nest und Falle bleiben immer stehen.",
    ],
    signs: [
      "Grüner Boden ohne Linien ist Land, brauner mit Wellen ist Sumpf.",
      "Auf einer Figur: ihr Name, unten links in Grün ihre Stärke an Land, unten rechts in Orange die im Sumpf, klein oben links ihre Nummer. Ein Stern: Hier zählen andere Regeln als Zahlen.",
      "Streifen: eine Rückseite, also eine Figur, deren Art du nicht wissen darfst.",
      "Rote Scheibe mit Zahl: Eine Falle hält die Figur so viele Züge fest. Gestrichelter Ring: eine geheime Falle.",
      "Roter Rahmen: wer einen Kampf gewonnen hat; rot gestrichelt: wohin er jetzt vorrücken darf.",
    ],
  },
  "giro-galoppo": {
    aim: "Sei am Ende des Rennens so weit wie möglich hinter der Ziellinie.",
    play: [
      "Zuerst setzen die Spieler fünf Hindernisse auf den Sand, der jüngste beginnt.",
      "In jeder Runde legt jeder eine Karte verdeckt. Alle werden umgedreht, und die Pferde ziehen so viele Felder, wie ihre Karten sagen, die niedrigste zuerst; bei gleichen Karten das Pferd, das am weitesten hinten ist.",
      "Wer auf einem anderen Pferd landet, schickt es auf das nächste freie Feld dahinter zurück. Wer auf Hindernis, Fluss oder Moor enden würde, bleibt, wo er war.",
      "Jede Karte gilt einmal; sind alle sechs gespielt, nimmt jeder sie wieder auf.",
      "Das Rennen endet mit der Runde, in der ein Pferd die Linie überquert. Wer dahinter steht, wird nach der Weite gereiht.",
    ],
    signs: [
      "Die Zahlen unter der Bahn zählen die Felder; der karierte Balken ist die Ziellinie, der Kasten am Anfang die Startbox.",
      "Zäune sind Hindernisse, blaues Wasser ist ein Fluss, grünes Schilf das Moor: Dort darf kein Pferd enden.",
      "Eine farbige Scheibe ist ein Pferd, ihre Zahl der Platz des Spielers am Tisch.",
      "In der Zeile eines Spielers: die Karten auf der Hand und etwas abseits die, die verdeckt liegt. Gemustert: eine Rückseite.",
    ],
  },
  "dragon-dance": {
    aim: "Gewinne zwei Runden: eine mit dem schwarzen Drachen, dann eine mit dem weißen.",
    play: [
      "Lege eine Karte so, dass sie mindestens ein Kästchen bedeckt und jedes bedeckte Kästchen die Farbe hat, die die Karte dort zeigt. Karten dürfen auf dem Kopf liegen, nicht quer.",
      "Wer legen kann, muss legen. Wer nicht kann, zieht eine Karte und darf sie gleich legen.",
      "Jedes bedeckte Kästchen bringt 1 Punkt, ein Kopf 3 dazu, ein Ei 5 dazu. Auf einem Ei darf kein Ei liegen.",
      "Die letzte Karte muss ein Kopf sein, der zwei Kästchen oder mehr bedeckt, und vorher braucht man genug Punkte. Dann darf jeder andere ihn mit einem Ei in der Farbe des Kopfes sperren, das auf dem Kopfende liegt.",
      "Wer ungesperrt Schluss macht, bekommt 5 Punkte und gewinnt die Runde; die anderen dürfen danach noch je eine Karte legen.",
    ],
    signs: [
      "R, Y, G, B: rot, gelb, grün, blau. Ein Gesicht mit Auge ist ein Kopf, dessen Schwanzende unten liegt; das Oval ist ein Ei; alles andere sind Schuppen.",
      "Die Karte mit dem hellen Rand wurde zuletzt gelegt; ein violetter Rand zeigt die eben gezogene.",
      "Die Zahlen am Rand nennen Spalten und Zeilen; eine Karte heißt nach dem Kästchen oben links.",
      "Die Scheibe neben dem Namen: welchen Drachen der Spieler hat, schwarz oder weiß. Eine gemusterte Karte ist eine Rückseite.",
    ],
  },
  "giants-dance": {
    aim: "Habe die meisten Punkte, wenn alle Riesen wieder am Marktplatz sind.",
    play: [
      "Der Riese an letzter Stelle ist am Zug: Er spielt eine Bewegungskarte und geht so viele Felder vor.",
      "Wo er stehen bleibt, darf er tanzen, mit bis zu drei Tanzkarten und beliebig vielen Plättchen aus dem Vorrat; dann zieht er wieder auf drei Karten jeder Sorte nach.",
      "Auf einem Platz muss ein Tanz die höchste Summe übertreffen, die dort in seiner Art liegt. Auf der Straße wird verdeckt gelegt, und am Ende zählt alles zusammen.",
      "Wer auf einer Straße endet, deckt die Plättchen dort auf; die der eigenen Farbe kommen in den Vorrat.",
      "Ein Platz wird gewertet, sobald der letzte Riese ihn erreicht oder überholt hat: ein Punkt für jede getanzte Art, zwei für die höchste Summe, einer mehr für beide.",
    ],
    signs: [
      "Weiße Felder sind Plätze, die anderen Straße; die Zahl oben links zählt die Felder.",
      "Der runde Pfeil ist Drehung, die Welle Umzug, das Kreuz eine Ablenkung, die nie zählt. Ein Haken: Der Platz ist gewertet.",
      "Ein Gewand mit Zahl ist ein Riese, die Zahl der Platz des Spielers am Tisch.",
      "Unter dem Weg: was wo getanzt wurde. Ausgefüllt: Es war beim Legen das Höchste. Graue Plättchen liegen verdeckt; eine Zahl darin zählt die Herausforderungen.",
      "In der Tabelle: Punkte, Feld, Bewegungs- und Tanzkarten (Hand + Stapel), Plättchen.",
    ],
  },
  "dancing-villager": {
    aim: "Habe als Erster genug Hunde.",
    play: [
      "Sind alle bereit, werden die Dörfler geworfen. Zähle am ganzen Tisch Arme hoch und Arme unten; der Unterschied nimmt Spieße weg: Fleisch, wenn mehr hoch sind, Kohle, wenn mehr unten sind.",
      "Liegt ein Dörfler auf einem anderen, verdoppelt sich der Unterschied. Angelehnte und stehende zählen nicht.",
      "Das Fleisch geht aus: Greif einen Hund. Die Kohle geht aus: Greif das Feuer, denn nur die erste Hand dort ist sicher; alle anderen verlieren einen Dörfler.",
      "Wer das Falsche greift, oder greift, wenn nichts ausgeht, verliert einen Dörfler.",
      "Ein stehender Dörfler zähmt seinem Besitzer sofort einen Hund. Wer keine Dörfler mehr hat, verliert alle Hunde und fängt mit Dörflern neu an.",
    ],
    signs: [
      "Um das Feuer: Dunkle Spieße sind Kohle, rote Fleisch; ein blasser Umriss ist ein verbrauchter.",
      "Figuren: Arme hoch, Arme unten, flach liegend. Vor einem Pfosten: angelehnt. Auf gelber Scheibe: stehend. Balken darunter: liegt auf einem anderen.",
      "Die Hunde neben dem Feuer sind die des Dorfes; jede Tafel sagt, wie viele Dörfler und Hunde ihr Spieler hat.",
    ],
  },
};
