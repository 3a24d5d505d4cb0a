// SPDX-License-Identifier: MIT
pragma solidity >=0.8.4;

// In reading order: errors, events, structs, functions.
// solhint-disable ordering

/// @title IAssetRegistry
/// @notice A public record of documents: who registered which content and when, and which documents point to
/// which others. Nobody administers it; only the author of an asset acts for that asset, by calling or by signing.
///
/// @dev The id of an asset is the EIP-712 digest, in the domain `Asset Registry`, version `1`, of
///
/// `Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType,string fileSize,
/// string method,string hash,string uri)` (one line, without the break)
///
/// so it is known before the transaction is sent, belongs to one author in one registry on one chain, and
/// commits to every byte of the texts. The texts themselves are in the event and nowhere else on chain.
///
/// A link is a directed pair (parent, child). It stands from the moment it is added until it is revoked, and may
/// be added again afterwards. Two assets may point to each other, and longer cycles are legal too.
///
/// An author without ether signs instead, EIP-712 in the same domain, and anybody may hand the signature in:
///
/// - `CreateAsset(Asset asset,uint256 deadline)`, the type above nested, for {createAssetFor};
/// - `AddLinks(bytes32 parent,bytes32[] children,uint256 nonce,uint256 deadline)` for {linkFor};
/// - `RevokeLinks(bytes32 parent,bytes32[] children,uint256 nonce,uint256 deadline)` for {revokeLinksFor}.
///
/// A signature is the author's own, 65 bytes with a low `s` (ECDSA), or whatever the author's code accepts
/// (ERC-1271). The key is tried first, so an account that delegates to code (EIP-7702) signs as it always did.
/// A signature takes effect at most once, and may be cancelled by its author until then.
interface IAssetRegistry {
    /*//////////////////////////////////////////////////////////////////////////
                                       ERRORS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Thrown when an asset is created without a name.
    error AssetNameEmpty();

    /// @notice Thrown when a text of an asset has more bytes than the registry takes.
    /// @param text Which of the texts.
    /// @param length Bytes that it has.
    /// @param maximum Bytes that it may have.
    error AssetTextTooLong(AssetText text, uint256 length, uint256 maximum);

    /// @notice Thrown when the same author creates the same content with the same salt a second time.
    /// @param id The asset that exists.
    error AssetExists(bytes32 id);

    /// @notice Thrown when a parent, or a child that is being linked, was never created in this registry.
    /// @param id The id that no asset has.
    error AssetUnknown(bytes32 id);

    /// @notice Thrown when somebody else than the parent's author changes the links that leave it.
    /// @param parent The asset whose links were to change.
    /// @param author The only address that may change them.
    /// @param caller The address that tried.
    error NotAuthor(bytes32 parent, address author, address caller);

    /// @notice Thrown when links are added or revoked and no child is named.
    /// @param parent The asset whose links were to change.
    error NoChildren(bytes32 parent);

    /// @notice Thrown when an asset is linked to itself.
    /// @param id The asset that is both parent and child.
    error LinkToSelf(bytes32 id);

    /// @notice Thrown when a link is added that stands already, be it by an earlier call or by an earlier mention
    /// of the same child in this one.
    /// @param parent The asset that the link leaves.
    /// @param child The asset that the link points to.
    error LinkStands(bytes32 parent, bytes32 child);

    /// @notice Thrown when a link is revoked that does not stand: it was never added, or is revoked already, be it
    /// by an earlier call or by an earlier mention of the same child in this one.
    /// @param parent The asset that the link would leave.
    /// @param child The asset that the link would point to.
    error LinkDoesNotStand(bytes32 parent, bytes32 child);

    /// @notice Thrown when a signature is handed in after the time that its author set.
    /// @param deadline The last second in which it could be used.
    /// @param time The time of the block.
    error DeadlineExpired(uint256 deadline, uint256 time);

    /// @notice Thrown when a signature is not the author's for exactly this operation in this registry on this chain.
    /// @param author The address that would have to sign.
    /// @param digest The digest to sign.
    error SignatureInvalid(address author, bytes32 digest);

    /// @notice Thrown when a signature for a creation is handed in, or cancelled, that its author has cancelled.
    /// @param id The asset that was not created.
    /// @param cancelledOn Time of the block that cancelled it, in seconds since 1970.
    error CreationIsCancelled(bytes32 id, uint48 cancelledOn);

    /*//////////////////////////////////////////////////////////////////////////
                                       EVENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Emitted when an asset is created; carries everything that the id commits to.
    /// @param id The id of the asset.
    /// @param author The address that created it.
    /// @param salt The author's choice, which lets equal content be registered more than once.
    /// @param details The texts, byte for byte as they were given.
    event AssetCreated(bytes32 indexed id, address indexed author, bytes32 salt, AssetDetails details);

    /// @notice Emitted when a link begins to stand, for the first time or again.
    /// @param parent The asset that the link leaves.
    /// @param child The asset that the link points to.
    event LinkAdded(bytes32 indexed parent, bytes32 indexed child);

    /// @notice Emitted when a link ceases to stand.
    /// @param parent The asset that the link leaves.
    /// @param child The asset that the link points to.
    event LinkRevoked(bytes32 indexed parent, bytes32 indexed child);

    /// @notice Emitted when an author voids every signature for the creation of an asset.
    /// @param id The id that the asset would have had.
    /// @param author The author.
    event CreationCancelled(bytes32 indexed id, address indexed author);

    /// @notice Emitted when an author voids every signature for a link change with one nonce.
    /// @param author The author.
    /// @param nonce The nonce, used now.
    event LinkChangeCancelled(address indexed author, uint256 indexed nonce);

    /*//////////////////////////////////////////////////////////////////////////
                                      STRUCTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The texts of an asset. Only the name is required; the registry keeps the others as they are given
    /// and gives them no meaning. `data` may have 262,144 bytes, `uri` 8,192, and each other text 1,024.
    /// @param name Visible name; says what the asset is.
    /// @param data Free text, or a structure such as JSON or XML.
    /// @param fileName Name of the file that the asset describes.
    /// @param fileType Type of that file, such as `pdf`.
    /// @param fileSize Size of that file in bytes, as decimal digits.
    /// @param method Method that made `hash`, such as `SHA2-256`.
    /// @param hash Hash of that file.
    /// @param uri Place where that file can be found.
    struct AssetDetails {
        string name;
        string data;
        string fileName;
        string fileType;
        string fileSize;
        string method;
        string hash;
        string uri;
    }

    /// @notice The texts of {AssetDetails}, in their order.
    enum AssetText {
        Name,
        Data,
        FileName,
        FileType,
        FileSize,
        Method,
        Hash,
        Uri
    }

    /// @notice The stored record of an asset, in one slot. Without an author there is no such asset.
    /// @param author The address that created it, or zero.
    /// @param createdOn Time of the block that created it, in seconds since 1970, or zero.
    /// @param cancelledOn Time of the block in which its author voided the signatures for its creation; zero if
    /// that never happened, and zero again once the author has created it all the same.
    struct AssetRecord {
        address author;
        uint48 createdOn;
        uint48 cancelledOn;
    }

    /// @notice The stored record of a link, in one slot. It stands while `addedOn` is not zero and
    /// `revokedOn` is. All zero: it was never added.
    /// @param addedOn Time of the block that added it last, in seconds since 1970.
    /// @param revokedOn Time of the block that revoked it since, or zero.
    struct LinkRecord {
        uint48 addedOn;
        uint48 revokedOn;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                     FUNCTIONS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Registers an asset; the caller becomes its author, for ever.
    ///
    /// @dev Emits an {AssetCreated} event.
    ///
    /// Requirements:
    /// - `details.name` must not be empty.
    /// - No text may have more bytes than {AssetDetails} says.
    /// - The caller must not have created the same details with the same salt before.
    ///
    /// @param salt Any value; another one gives the same content another id.
    /// @param details The texts of the asset.
    /// @return id The id of the asset, the same that {assetId} returns for the caller.
    function createAsset(bytes32 salt, AssetDetails calldata details) external returns (bytes32 id);

    /// @notice Registers an asset for an author who signed it. Signed is every word of it.
    ///
    /// @dev Emits an {AssetCreated} event.
    ///
    /// Requirements:
    /// - `deadline` must not be over; its last second counts.
    /// - `signature` must be the author's for `CreateAsset` with these values.
    /// - The author must not have cancelled the creation.
    /// - All that {createAsset} requires of the author.
    ///
    /// @param author The author of the asset, who signed.
    /// @param salt The author's choice.
    /// @param details The texts of the asset.
    /// @param deadline Until when the signature may be used, in seconds since 1970.
    /// @param signature The author's signature.
    /// @return id The id of the asset, the same that {assetId} returns for the author.
    function createAssetFor(
        address author,
        bytes32 salt,
        AssetDetails calldata details,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes32 id);

    /// @notice Voids every signature, whatever its deadline, by which the caller's asset could still be created.
    /// The caller may create the asset directly all the same.
    ///
    /// @dev Emits a {CreationCancelled} event.
    ///
    /// Requirements:
    /// - No text may have more bytes than {AssetDetails} says; there is no such asset to cancel.
    /// - The asset must not exist.
    /// - The creation must not be cancelled already.
    ///
    /// @param salt The salt that was signed.
    /// @param details The texts that were signed.
    /// @return id The id that the asset would have had.
    function cancelCreation(bytes32 salt, AssetDetails calldata details) external returns (bytes32 id);

    /// @notice Makes an asset point to others, all of them or none.
    ///
    /// @dev Emits a {LinkAdded} event for each child, in the given order.
    ///
    /// Requirements:
    /// - `parent` must exist, and the caller must be its author.
    /// - `children` must not be empty.
    /// - Each child must exist and differ from `parent`; its author may be anybody.
    /// - No link to a child may stand already. A child that is named twice therefore fails at its second mention.
    ///
    /// @param parent The asset that the links leave.
    /// @param children The assets that they point to.
    function link(bytes32 parent, bytes32[] calldata children) external;

    /// @notice Makes an asset point to others, as its author signed.
    ///
    /// @dev Emits a {LinkAdded} event for each child, in the given order.
    ///
    /// Requirements:
    /// - `deadline` must not be over; its last second counts.
    /// - `nonce` must be the next one of its key for the author of `parent`, as {nonces} returns it; else reverts with
    ///   `InvalidAccountNonce`.
    /// - `signature` must be that author's for `AddLinks` with these values.
    /// - All that {link} requires of the parent and the children.
    ///
    /// @param parent The asset that the links leave.
    /// @param children The assets that they point to.
    /// @param nonce A nonce of the parent's author: the key in the upper 192 bits, a count in the lower 64.
    /// @param deadline Until when the signature may be used, in seconds since 1970.
    /// @param signature The signature of the parent's author.
    function linkFor(
        bytes32 parent,
        bytes32[] calldata children,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Withdraws links of an asset to others, all of them or none.
    ///
    /// @dev Emits a {LinkRevoked} event for each child, in the given order.
    ///
    /// Requirements:
    /// - `parent` must exist, and the caller must be its author.
    /// - `children` must not be empty.
    /// - The link to each child must stand. A child that is named twice therefore fails at its second mention.
    ///
    /// @param parent The asset that the links leave.
    /// @param children The assets that they point to.
    function revokeLinks(bytes32 parent, bytes32[] calldata children) external;

    /// @notice Withdraws links of an asset to others, as its author signed.
    ///
    /// @dev Emits a {LinkRevoked} event for each child, in the given order.
    ///
    /// Requirements:
    /// - `deadline` must not be over; its last second counts.
    /// - `nonce` must be the next one of its key for the author of `parent`, as {nonces} returns it; else reverts with
    ///   `InvalidAccountNonce`.
    /// - `signature` must be that author's for `RevokeLinks` with these values.
    /// - All that {revokeLinks} requires of the parent and the children.
    ///
    /// @param parent The asset that the links leave.
    /// @param children The assets that they point to.
    /// @param nonce A nonce of the parent's author: the key in the upper 192 bits, a count in the lower 64.
    /// @param deadline Until when the signature may be used, in seconds since 1970.
    /// @param signature The signature of the parent's author.
    function revokeLinksFor(
        bytes32 parent,
        bytes32[] calldata children,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Voids every signature of the caller for a link change with this nonce.
    ///
    /// @dev Emits a {LinkChangeCancelled} event.
    ///
    /// Requirements:
    /// - `nonce` must be the next one of its key for the caller; else reverts with `InvalidAccountNonce`, which also
    ///   says that the signature was used before it could be cancelled.
    ///
    /// @param nonce The nonce that was signed.
    function cancelLinkChange(uint256 nonce) external;

    /// @notice Makes several calls to this registry in one transaction, all of them or none, each as if the caller
    /// had made it directly.
    /// @param calls The calls, encoded.
    /// @return results The encoded result of each call.
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results);

    /// @notice The next nonce of an author. Nonces with one key are used in order; different keys are independent.
    /// @param author The author who will sign.
    /// @param key The author's choice.
    /// @return The nonce to sign: the key in the upper 192 bits, a count in the lower 64.
    function nonces(address author, uint192 key) external view returns (uint256);

    /// @notice Returns the stored record of an asset. Does not revert for an unknown id.
    /// @param id The id of an asset.
    /// @return The author and the time of creation, or zeros.
    function assetOf(bytes32 id) external view returns (AssetRecord memory);

    /// @notice Returns the stored record of a link. Does not revert for an unknown pair.
    /// @param parent The asset that the link leaves.
    /// @param child The asset that the link points to.
    /// @return Since when it stands or is revoked, or zeros.
    function linkOf(bytes32 parent, bytes32 child) external view returns (LinkRecord memory);

    /// @notice The id that an asset has or would have in this registry; says nothing about whether it exists.
    ///
    /// @dev Requirements:
    /// - No text may have more bytes than {AssetDetails} says.
    ///
    /// @param author The author of the asset.
    /// @param salt The author's choice.
    /// @param details The texts of the asset.
    /// @return The EIP-712 digest of the three.
    function assetId(
        address author,
        bytes32 salt,
        AssetDetails calldata details
    ) external view returns (bytes32);
}
